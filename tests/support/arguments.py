"""Values for the arguments that some metrics require, so that lists of all metrics include them."""

REQUIRED = {
    "net_benefit": "+threshold=0.2",
    "standardized_net_benefit": "+threshold=0.2",
    "interventions_avoided": "+threshold=0.3",
    "ppv_at": "+prevalence=0.1",
    "npv_at": "+prevalence=0.1",
    "expected_cost": "+cost_fp=1+cost_fn=10",
}


def spec_of(definition, classes=2):
    """Return the name of a metric, with its required arguments if it has any, for tables of a number of classes."""
    if definition.name == "expected_utility":
        rows = [[3 if row == column else -row - 2 * column for column in range(classes)] for row in range(classes)]
        return f"expected_utility+utilities={'/'.join(','.join(map(str, row)) for row in rows)}"
    return definition.name + REQUIRED.get(definition.name, "")
