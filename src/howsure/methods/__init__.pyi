# The names of this namespace, each once: read by type checkers, and at run time to find where a name is defined.

from .anytime import Anytime as Anytime
from .bootstrap import Bootstrap as Bootstrap
from .bounded_mean import Betting as Betting, Hoeffding as Hoeffding
from .delong import DeLong as DeLong, HanleyMcNeil as HanleyMcNeil, Newcombe as Newcombe
from .delong_score import DeLongScore as DeLongScore
from .delta import Delta as Delta, Wald as Wald
from .dirichlet import Dirichlet as Dirichlet
from .draws_of_tables import draw_tables as draw_tables
from .effective_wilson import EffectiveWilson as EffectiveWilson
from .empirical_likelihood_score import EmpiricalLikelihoodScore as EmpiricalLikelihoodScore
from .extremes import Extremes as Extremes
from .fieller import Fieller as Fieller
from .gap_test import GapTest as GapTest
from .hall import Hall as Hall
from .least_favourable import LeastFavourable as LeastFavourable
from .library import DrawingMethod as DrawingMethod, Interval as Interval, Method as Method
from .mann_whitney import MannWhitney as MannWhitney
from .mover import Mover as Mover
from .order_statistics import OrderStatistics as OrderStatistics
from .pairs import (
    NamBlackwelder as NamBlackwelder,
    NewcombePaired as NewcombePaired,
    NewcombePairedCC as NewcombePairedCC,
    Tango as Tango,
)
from .predictive import Predictive as Predictive
from .proportion import (
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
from .stratified import Stratified as Stratified
from .threshold_limits import ThresholdLimits as ThresholdLimits
from .two_rates import TwoRates as TwoRates
from .two_samples import MiettinenNurminen as MiettinenNurminen
