"""Why a list could not be had, in words that say what to do; never in the API server's, which name users and addresses."""

from costintel.errors import CostIntelError


class KubernetesError(CostIntelError):
    """The API server gave no usable answer."""


class Unauthorized(KubernetesError):
    """It did not accept the token; a new one may be accepted."""


class Expired(KubernetesError):
    """It no longer knows the snapshot a list was being read from (410): the list must be begun anew."""


class PageTooLarge(KubernetesError):
    """A page is larger than we are willing to hold; fewer objects fit."""
