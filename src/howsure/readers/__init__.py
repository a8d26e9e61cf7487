"""Reader studies: several readers of the same cases, under one modality or more."""
