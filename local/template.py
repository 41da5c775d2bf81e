"""Interprets the synthesized CloudFormation template: what would be deployed is what runs here.

A property is either read, or listed in `resource_types` with the reason why it means nothing here; any other stops the
start with its name. So do values that change what the stack does and that nothing here imitates.
"""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from local.intrinsics import Resolver, TemplateError, Values
from local.plan import EventSourcePlan, FunctionPlan, QueuePlan, RoutePlan, SchedulePlan, StackPlan, Throttle
from local.resource_types import (
    DEPLOYMENT_FUNCTION,
    IGNORED_ATTRIBUTES,
    IGNORED_PROPERTIES,
    IGNORED_SECTIONS,
    IGNORED_TYPES,
)
from local.section import Section

_GATEWAY_SECONDS = 30.0
_RATE = re.compile(r"rate\((\d+) (minute|hour|day)s?\)")
_UNIT_SECONDS = {"minute": 60, "hour": 3600, "day": 86400}
_FUNCTION = "AWS::Lambda::Function"
_LAYER = "AWS::Lambda::LayerVersion"
_QUEUE = "AWS::SQS::Queue"
_EVENT_SOURCE = "AWS::Lambda::EventSourceMapping"
_API = "AWS::ApiGatewayV2::Api"
_INTEGRATION = "AWS::ApiGatewayV2::Integration"
_ROUTE = "AWS::ApiGatewayV2::Route"
_STAGE = "AWS::ApiGatewayV2::Stage"
_SCHEDULE = "AWS::Scheduler::Schedule"
_INTERPRETED = frozenset({_FUNCTION, _LAYER, _QUEUE, _EVENT_SOURCE, _API, _INTEGRATION, _ROUTE, _STAGE, _SCHEDULE})


def read_template(folder: Path, values: Values, *, stack: str = "CostIntel") -> StackPlan:
    """Interpret `STACK.template.json` and `STACK.assets.json` of a cloud assembly.

    Raises:
        TemplateError: a type, property, attribute, function or value that is not interpreted; the text names it.
        OSError: a file is missing.
    """
    template = json.loads((folder / f"{stack}.template.json").read_text(encoding="utf-8"))
    assets = json.loads((folder / f"{stack}.assets.json").read_text(encoding="utf-8"))
    return _Template(template, _asset_folders(assets, folder), values).plan()


def _asset_folders(assets: Mapping[str, Any], folder: Path) -> dict[str, Path]:
    """Give the folder of each asset by the object key the template uses; a link that moves later does not matter."""
    return {
        destination["objectKey"]: (folder / asset["source"]["path"]).resolve()
        for asset in assets["files"].values()
        for destination in asset["destinations"].values()
        if asset["source"].get("packaging") == "zip"
    }


class _Template:
    """One template on its way to a plan."""

    def __init__(self, template: Mapping[str, Any], folders: Mapping[str, Path], values: Values) -> None:
        _check_shape(template)
        self._resources: Mapping[str, Any] = template["Resources"]
        self._folders = folders
        self._resolver = Resolver(template, values)

    def plan(self) -> StackPlan:
        """Interpret every resource."""
        layers = {name: self._layer(name) for name in self._names(_LAYER)}
        for name in self._names(_API):
            self._api(name)
        integrations = {name: self._integration(name) for name in self._names(_INTEGRATION)}
        throttles = self._throttles()
        return StackPlan(
            functions=tuple(
                self._function(name, layers)
                for name in self._names(_FUNCTION)
                if not name.startswith(DEPLOYMENT_FUNCTION)
            ),
            queues=tuple(self._queue(name) for name in self._names(_QUEUE)),
            event_sources=tuple(self._event_source(name) for name in self._names(_EVENT_SOURCE)),
            routes=tuple(self._route(name, integrations, throttles) for name in self._names(_ROUTE)),
            schedules=tuple(self._schedule(name) for name in self._names(_SCHEDULE)),
        )

    def _names(self, kind: str) -> list[str]:
        return [name for name, resource in self._resources.items() if resource["Type"] == kind]

    def _open(self, name: str) -> Section:
        resource = self._resources[name]
        return Section(f"{name} ({resource['Type']})", resource.get("Properties", {}), self._resolver)

    def _close(self, name: str, section: Section) -> None:
        section.close(IGNORED_PROPERTIES.get(self._resources[name]["Type"]))

    def _folder(self, name: str, content: Section) -> Path:
        content.get("S3Bucket")
        key = content.require("S3Key")
        content.close()
        if key not in self._folders:
            raise TemplateError(f"{name}: the asset {key} is not in the assembly")
        return self._folders[key]

    def _layer(self, name: str) -> Path:
        layer = self._open(name)
        folder = self._folder(name, layer.section("Content"))
        self._close(name, layer)
        return folder

    def _function(self, name: str, layers: Mapping[str, Path]) -> FunctionPlan:
        function = self._open(name)
        if not str(function.require("Runtime")).startswith("python3."):
            raise TemplateError(f"{name}: Runtime {function.get('Runtime')!r} is not interpreted, only Python")
        environment = function.section("Environment")
        variables = environment.get("Variables", {})
        environment.close()
        plan = FunctionPlan(
            name=name,
            arn=self._resolver.resolve({"Fn::GetAtt": [name, "Arn"]}),
            handler=function.require("Handler"),
            timeout_seconds=int(function.get("Timeout", 3)),
            memory_mb=int(function.get("MemorySize", 128)),
            environment={key: str(value) for key, value in variables.items()},
            code=self._folder(name, function.section("Code")),
            layers=tuple(layers[layer] for layer in function.get("Layers", [])),
            in_vpc="VpcConfig" in function,
            reserved_concurrency=function.get("ReservedConcurrentExecutions"),
        )
        function.section("VpcConfig")
        self._close(name, function)
        return plan

    def _queue(self, name: str) -> QueuePlan:
        queue = self._open(name)
        redrive = queue.section("RedrivePolicy")
        plan = QueuePlan(
            name=name,
            arn=self._resolver.resolve({"Fn::GetAtt": [name, "Arn"]}),
            visibility_seconds=int(queue.get("VisibilityTimeout", 30)),
            delay_seconds=int(queue.get("DelaySeconds", 0)),
            retention_seconds=int(queue.get("MessageRetentionPeriod", 345_600)),
            dead_letter_arn=redrive.get("deadLetterTargetArn"),
            receive_count=redrive.get("maxReceiveCount"),
        )
        redrive.close()
        self._close(name, queue)
        return plan

    def _event_source(self, name: str) -> EventSourcePlan:
        source = self._open(name)
        scaling = source.section("ScalingConfig")
        plan = EventSourcePlan(
            function_arn=self._function_arn(str(source.require("FunctionName"))),
            queue_arn=source.require("EventSourceArn"),
            batch_size=int(source.get("BatchSize", 10)),
            maximum_concurrency=int(scaling.get("MaximumConcurrency", 10)),
            partial_failures="ReportBatchItemFailures" in source.get("FunctionResponseTypes", []),
        )
        if not 1 <= plan.batch_size <= 10:
            raise TemplateError(f"{name}: BatchSize {plan.batch_size} is not interpreted, only 1 to 10")
        scaling.close()
        self._close(name, source)
        return plan

    def _api(self, name: str) -> None:
        api = self._open(name)
        api.demand("ProtocolType", "HTTP")
        self._close(name, api)

    def _integration(self, name: str) -> tuple[str, float]:
        """Read an integration: the function's ARN and the seconds it may take."""
        integration = self._open(name)
        integration.get("ApiId")
        integration.demand("IntegrationType", "AWS_PROXY")
        integration.demand("PayloadFormatVersion", "2.0")
        seconds = int(integration.get("TimeoutInMillis", _GATEWAY_SECONDS * 1000)) / 1000
        arn = self._function_arn(integration.require("IntegrationUri"))
        self._close(name, integration)
        return arn, seconds

    def _throttles(self) -> Mapping[str, Throttle]:
        """Read the stage's throttles by route key; under `""` the one of all other routes."""
        stages = self._names(_STAGE)
        if len(stages) != 1:
            raise TemplateError(f"{len(stages)} stages are not interpreted, only one")
        stage = self._open(stages[0])
        stage.get("ApiId")
        stage.demand("StageName", "$default")
        settings = {"": stage.get("DefaultRouteSettings", {}), **stage.get("RouteSettings", {})}
        self._close(stages[0], stage)
        return {key: _throttle(f"{stages[0]}, {key}", setting) for key, setting in settings.items() if setting}

    def _route(
        self, name: str, integrations: Mapping[str, tuple[str, float]], throttles: Mapping[str, Throttle]
    ) -> RoutePlan:
        route = self._open(name)
        route.get("ApiId")
        route.demand("AuthorizationType", "NONE", None)
        key = str(route.require("RouteKey"))
        if "{" in key:
            raise TemplateError(f"{name}: RouteKey {key!r} has a parameter, which is not interpreted")
        function_arn, seconds = integrations[str(route.require("Target")).removeprefix("integrations/")]
        self._close(name, route)
        throttle = throttles.get(key, throttles.get(""))
        return RoutePlan(key=key, function_arn=function_arn, timeout_seconds=seconds, throttle=throttle)

    def _schedule(self, name: str) -> SchedulePlan:
        schedule = self._open(name)
        window = schedule.section("FlexibleTimeWindow")
        window.demand("Mode", "OFF")
        window.close()
        target = schedule.section("Target")
        retry = target.section("RetryPolicy")
        retry.demand("MaximumRetryAttempts", 0)
        retry.close({"MaximumEventAgeInSeconds": "nothing is retried"})
        rate = _RATE.fullmatch(str(schedule.require("ScheduleExpression")))
        if rate is None:
            raise TemplateError(f"{name}: ScheduleExpression is not interpreted, only rate(N minutes|hours|days)")
        plan = SchedulePlan(
            name=name,
            function_arn=self._function_arn(target.require("Arn")),
            every_seconds=int(rate[1]) * _UNIT_SECONDS[rate[2]],
            event=json.loads(target.get("Input", "{}")),
        )
        target.close({"RoleArn": "permissions: one machine has one user"})
        self._close(name, schedule)
        return plan

    def _function_arn(self, text: str) -> str:
        """Find the function that a name, an ARN or an integration URI means."""
        for name in self._names(_FUNCTION):
            arn: str = self._resolver.resolve({"Fn::GetAtt": [name, "Arn"]})
            if text == name or arn in text:
                return arn
        raise TemplateError(f"{text} is not a function of this template")


def _throttle(where: str, setting: Mapping[str, Any]) -> Throttle:
    unknown = set(setting) - {"ThrottlingRateLimit", "ThrottlingBurstLimit"}
    if unknown or len(setting) != 2:
        raise TemplateError(f"{where}: expected ThrottlingRateLimit and ThrottlingBurstLimit, got {sorted(setting)}")
    return Throttle(rate=float(setting["ThrottlingRateLimit"]), burst=int(setting["ThrottlingBurstLimit"]))


def _check_shape(template: Mapping[str, Any]) -> None:
    """Refuse sections, types and attributes that are neither interpreted nor ignored for a reason."""
    _refuse("the template's section", template, IGNORED_SECTIONS | {"Parameters", "Resources"})
    for name, resource in template["Resources"].items():
        kind = resource["Type"]
        if kind not in _INTERPRETED and kind not in IGNORED_TYPES:
            raise TemplateError(f"{name}: the resource type {kind} is not interpreted")
        _refuse(f"{name} ({kind}): the attribute", resource, IGNORED_ATTRIBUTES | {"Type", "Properties"})


def _refuse(what: str, content: Sequence[str] | Mapping[str, Any], known: frozenset[str]) -> None:
    unknown = sorted(set(content) - known)
    if unknown:
        raise TemplateError(f"{what} {unknown[0]} is not interpreted")
