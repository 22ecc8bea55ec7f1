"""The cache of plans of Fourier transforms."""

from cuprum._cuprum import PlanCache, PlanKey

__all__ = ['PlanCache', 'PlanKey']
