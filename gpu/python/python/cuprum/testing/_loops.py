"""All decorators for loops and comparisons."""

from ._compare import *  # noqa: F401,F403
from ._dtypes import *  # noqa: F401,F403
