"""Every error the service raises on purpose, as one tree.

CostIntelError
├── ConfigurationError      a setting is missing or malformed; names the setting
├── InvalidInput            what a caller sent is wrong; names the field and what was expected
├── KubernetesError         the API server gave no usable answer (see cluster.failures)
├── OpenCostError           OpenCost gave no usable answer
│   ├── OpenCostTimeout     it did not answer in time; the same span should not be asked again at once
│   └── OpenCostRefused     it answered with an error, or with something that is not an answer
└── StorageError            PostgreSQL could not be reached or refused
    ├── StorageUnavailable  trying again later helps
    └── SchemaError         the schema and this release do not fit together
"""


class CostIntelError(Exception):
    """Base of every error raised on purpose."""


class ConfigurationError(CostIntelError):
    """A setting is missing or malformed; the text names the setting and what was expected."""


class InvalidInput(CostIntelError):
    """What a caller sent cannot be used; `field` is its place in the input, `expected` says what should stand there."""

    def __init__(self, field: str, expected: str) -> None:
        super().__init__(f"{field}: expected {expected}")
        self.field = field
        self.expected = expected


class OpenCostError(CostIntelError):
    """OpenCost gave no usable answer; its own text is redacted to one short line."""


class OpenCostTimeout(OpenCostError):
    """OpenCost did not answer in time. It goes on computing, so asking at once makes it worse."""


class OpenCostRefused(OpenCostError):
    """OpenCost answered with an error status, or with a body that is not an answer."""


class StorageError(CostIntelError):
    """PostgreSQL could not do what was asked."""


class StorageUnavailable(StorageError):
    """PostgreSQL is away or too busy; trying again later helps."""


class SchemaError(StorageError):
    """The schema in the database and the one this release knows do not fit together."""
