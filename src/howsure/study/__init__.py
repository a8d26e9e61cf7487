"""Studies: many experiments in groups, on many metrics, from one seed."""

from howsure.study.experiment import Experiment
from howsure.study.records import Records
from howsure.study.study import Study

__all__ = ["Experiment", "Records", "Study"]
