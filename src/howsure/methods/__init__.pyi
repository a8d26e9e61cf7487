# The names of this namespace, each once: read by type checkers, and at run time to find where a name is defined.

from .areas.delong import DeLong as DeLong, HanleyMcNeil as HanleyMcNeil, Newcombe as Newcombe
from .areas.delong_score import DeLongScore as DeLongScore
from .areas.mann_whitney import MannWhitney as MannWhitney
from .composed.anytime import Anytime as Anytime
from .composed.extremes import Extremes as Extremes
from .composed.mover import Mover as Mover
from .drawn.bootstrap import Bootstrap as Bootstrap
from .drawn.dirichlet import Dirichlet as Dirichlet
from .drawn.draws_of_tables import draw_tables as draw_tables
from .drawn.predictive import Predictive as Predictive
from .flow.least_favourable import LeastFavourable as LeastFavourable
from .library import DrawingMethod as DrawingMethod, Interval as Interval, Method as Method
from .means.bounded_mean import Betting as Betting, Hoeffding as Hoeffding
from .means.empirical_likelihood_score import EmpiricalLikelihoodScore as EmpiricalLikelihoodScore
from .means.hall import Hall as Hall
from .means.order_statistics import OrderStatistics as OrderStatistics
from .proportions.independent_proportions import MiettinenNurminen as MiettinenNurminen
from .proportions.paired_proportions import (
    NamBlackwelder as NamBlackwelder,
    NewcombePaired as NewcombePaired,
    NewcombePairedCC as NewcombePairedCC,
    Tango as Tango,
)
from .proportions.proportion import (
    AgrestiCoull as AgrestiCoull,
    Arcsine as Arcsine,
    BinomTest as BinomTest,
    ClopperPearson as ClopperPearson,
    Jeffreys as Jeffreys,
    LikelihoodRatio as LikelihoodRatio,
    Logit as Logit,
    MidP as MidP,
    Wilson as Wilson,
    WilsonCC as WilsonCC,
)
from .proportions.stratified import Stratified as Stratified
from .proportions.threshold_limits import ThresholdLimits as ThresholdLimits
from .variance.delta import Delta as Delta, Wald as Wald
from .variance.effective_wilson import EffectiveWilson as EffectiveWilson
from .variance.fieller import Fieller as Fieller
from .variance.gap_test import GapTest as GapTest
from .variance.tpr_fpr_functions import TwoRates as TwoRates
