"""The cache of plans of Fourier transforms."""

from cuprum._cuprum import PlanCache, PlanKey, get_plan_cache, show_plan_cache_info

__all__ = [
    'PlanCache', 'PlanKey', 'clear_plan_cache', 'get_plan_cache', 'get_plan_cache_max_memsize', 'get_plan_cache_size', 'set_plan_cache_max_memsize',
    'set_plan_cache_size', 'show_plan_cache_info',
]  # fmt: skip


def clear_plan_cache():
    """Removes all plans of this thread for the current device."""
    get_plan_cache().clear()


def get_plan_cache_size():
    """Returns the maximum number of plans; -1 for unlimited."""
    return get_plan_cache().get_size()


def set_plan_cache_size(size):
    """Sets the maximum number of plans: 0 for none, -1 for unlimited."""
    get_plan_cache().set_size(size)


def get_plan_cache_max_memsize():
    """Returns the maximum size of the plans' work areas in bytes; -1 for unlimited."""
    return get_plan_cache().get_memsize()


def set_plan_cache_max_memsize(size):
    """Sets the maximum size of the plans' work areas in bytes; -1 for unlimited."""
    get_plan_cache().set_memsize(size)
