"""CloudFormation's references and functions, resolved from what the local stack knows.

Source: AWS, "Intrinsic function reference" and "Get values stored in other services using dynamic references".
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from local.aws import ACCOUNT_ID, REGION
from local.queues import queue_url

Json = Any
"""A value of a JSON document."""

_PSEUDO_PARAMETERS = {
    "AWS::AccountId": ACCOUNT_ID,
    "AWS::Partition": "aws",
    "AWS::Region": REGION,
    "AWS::StackName": "CostIntel",
    "AWS::URLSuffix": "amazonaws.com",
}
_SSM_PARAMETER = "AWS::SSM::Parameter::Value<String>"
_DYNAMIC = re.compile(r"\{\{resolve:(ssm|ssm-secure|secretsmanager):([^}]+)\}\}")
_PLACE = re.compile(r"\$\{(!?)([^}]+)\}")


class TemplateError(Exception):
    """The template asks for something the local stack does not interpret; the text names it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Values:
    """What the template itself does not hold.

    `ssm`: parameters by name. `secrets`: dynamic references to Secrets Manager by what follows `secretsmanager:`.
    `sqs_endpoint`: the URL of the SQS server.
    """

    ssm: Mapping[str, str]
    secrets: Mapping[str, str] = field(default_factory=dict)
    sqs_endpoint: str


class Resolver:
    """Resolves values of one template."""

    def __init__(self, template: Mapping[str, Any], values: Values) -> None:
        """Keep the template's parameters and resources for references."""
        self._parameters: Mapping[str, Any] = template.get("Parameters", {})
        self._resources: Mapping[str, Any] = template["Resources"]
        self._values = values
        self._functions: Mapping[str, Callable[[Json], Json]] = {
            "Ref": self._ref,
            "Fn::GetAtt": self._get_att,
            "Fn::Join": lambda of: str(of[0]).join(str(self.resolve(part)) for part in self.resolve(of[1])),
            "Fn::Sub": self._sub,
            "Fn::Select": lambda of: self.resolve(of[1])[int(self.resolve(of[0]))],
            "Fn::Split": lambda of: str(self.resolve(of[1])).split(of[0]),
        }

    def resolve(self, value: Json) -> Json:
        """Resolve every reference in a value of the template.

        Raises:
            TemplateError: an unknown function, or a reference to something that has no value here.
        """
        if isinstance(value, str):
            return _DYNAMIC.sub(self._dynamic, value)
        if isinstance(value, list):
            return [self.resolve(part) for part in value]
        if not isinstance(value, dict):
            return value
        name = next(iter(value), "")
        if len(value) == 1 and (name == "Ref" or name.startswith("Fn::")):
            if name not in self._functions:
                raise TemplateError(f"the function {name} is not interpreted")
            return self.resolve(self._functions[name](value[name]))
        return {key: self.resolve(part) for key, part in value.items()}

    def _ref(self, name: str) -> Json:
        if name in _PSEUDO_PARAMETERS:
            return _PSEUDO_PARAMETERS[name]
        if name in self._parameters:
            return self._parameter(name)
        return self._attribute(name, "Ref")

    def _parameter(self, name: str) -> str:
        parameter = self._parameters[name]
        if "Default" not in parameter:
            raise TemplateError(f"the parameter {name} has no default")
        if parameter["Type"] == _SSM_PARAMETER:
            return self._stored(self._values.ssm, parameter["Default"], kind="the SSM parameter")
        return str(parameter["Default"])

    def _get_att(self, of: Json) -> str:
        name, _, attribute = of.partition(".") if isinstance(of, str) else (of[0], "", of[1])
        return self._attribute(name, attribute)

    def _sub(self, of: Json) -> str:
        text, places = (of, {}) if isinstance(of, str) else (of[0], of[1])

        def replace(match: re.Match[str]) -> str:
            literal, name = match.groups()
            if literal:
                return f"${{{name}}}"
            if name in places:
                return str(self.resolve(places[name]))
            return str(self._get_att(name) if "." in name else self._ref(name))

        return _PLACE.sub(replace, text)

    def _dynamic(self, match: re.Match[str]) -> str:
        service, name = match.groups()
        if service == "secretsmanager":
            return self._stored(self._values.secrets, name, kind="the secret")
        return self._stored(self._values.ssm, name.partition(":")[0], kind="the SSM parameter")

    def _stored(self, stored: Mapping[str, str], name: str, *, kind: str) -> str:
        if name not in stored:
            raise TemplateError(f"{kind} {name} has no value here")
        return stored[name]

    def _attribute(self, name: str, attribute: str) -> str:
        if name not in self._resources:
            raise TemplateError(f"the template refers to {name}, which it does not have")
        kind = self._resources[name]["Type"]
        attributes = self._attributes(name).get(kind, {})
        if attribute not in attributes:
            raise TemplateError(f"{attribute} of {name} ({kind}) has no value here")
        return attributes[attribute]

    def _attributes(self, name: str) -> Mapping[str, Mapping[str, str]]:
        """Give what can be referred to by resource type. The database's are placeholders: DATABASE_URL replaces them."""
        function = f"arn:aws:lambda:{REGION}:{ACCOUNT_ID}:function:{name}"
        return {
            "AWS::Lambda::Function": {"Ref": name, "Arn": function},
            "AWS::Lambda::LayerVersion": {"Ref": name},
            "AWS::SQS::Queue": {
                "Ref": queue_url(self._values.sqs_endpoint, name),
                "Arn": f"arn:aws:sqs:{REGION}:{ACCOUNT_ID}:{name}",
                "QueueName": name,
            },
            "AWS::ApiGatewayV2::Api": {"Ref": name},
            "AWS::ApiGatewayV2::Integration": {"Ref": name},
            "AWS::RDS::DBInstance": {
                "Endpoint.Address": "database.invalid",
                "Endpoint.Port": "5432",
                "MasterUserSecret.SecretArn": f"arn:aws:secretsmanager:{REGION}:{ACCOUNT_ID}:secret:{name}",
            },
        }
