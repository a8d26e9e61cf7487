"""What the site needs beside Sphinx: formulas as MathML, pictures for either ground, pages made from the library."""
