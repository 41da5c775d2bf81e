"""The whole stack on one machine, wired as the synthesized template says."""

import contextlib
import http.client
import json
import os
import secrets
import shutil
import socket
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from local.aws import CREDENTIALS
from local.children import Children
from local.controller import Controller
from local.demo.catalog import Catalog, ClusterCatalog, NamespaceCatalog
from local.demo.live import ACCESS_APPLICATION
from local.gateway import Gateway
from local.http_server import HttpServer
from local.intrinsics import Values
from local.lambda_packages import link_packages
from local.options import LISTS, Options
from local.page import Page
from local.plan import FunctionPlan, StackPlan
from local.poller import Poller
from local.postgres import EmbeddedPostgres, free_port
from local.proxy import ExtensionProxy
from local.queues import Queues, queue_url
from local.runtime import LambdaFunction
from local.scheduler import Scheduler
from local.template import read_template
from local.webhook import Webhook

ROOT = Path(__file__).resolve().parent.parent
DATABASE = "costintel"
_MIGRATE = "migrate.handler.handler"
_TOKEN_PARAMETER = "/cost-intel/local/{name}-token-hashes"  # noqa: S105  the name of a parameter, not a token
_HEALTH_SECONDS = 30.0
_PAUSE_SECONDS = 0.05


class StackError(Exception):
    """A part did not start; the text says which, and where its log is."""


class Stack:
    """Everything from PostgreSQL to the schedules, from `start` to `close`.

    `functions` are found by their service name (`webhook`, `measure`, …); `postgres` is the embedded server, if there is one.
    """

    def __init__(self, options: Options, *, assembly: Path, folder: Path) -> None:
        """Take the cloud assembly to interpret and a folder for logs; nothing runs yet."""
        self.options = options
        self.logs = folder / "logs"
        self.opencost_base_url = options.opencost_base_url
        self.database_url = options.database_url
        self._assembly = assembly
        self._packages = folder / "packages"
        self._kubernetes_port: int | None = None
        self._kubernetes_token = secrets.token_urlsafe(32)
        self._ends = contextlib.ExitStack()
        self._by_arn: dict[str, LambdaFunction] = {}
        self.functions: dict[str, LambdaFunction] = {}
        self.postgres: EmbeddedPostgres | None = None

    def start(self) -> None:
        """Start part after part; each needs those before it.

        Raises:
            TemplateError, PostgresError, QueuesError, StackError, OSError: a part did not start. `close` is still due.
        """
        for port in (self.options.port, self.options.gateway_port):
            _require_free(port)
        shutil.rmtree(self.logs, ignore_errors=True)
        self.logs.mkdir(parents=True)
        link_packages(self._packages)
        self._children = Children()
        self._ends.callback(self._children.close)
        queues = Queues(free_port(), children=self._children, log=self.logs / "sqs.log")
        self.queues_url = queues.url
        plan = read_template(self._assembly, self._values(queues.url))
        self._ends.callback(queues.close)
        queues.start()
        if not self.opencost_base_url:
            self._start_standins()
        self._start_database(plan)
        self.catalog = self._make_catalog()
        queues.wait()
        queues.create(plan.queues)
        for function in plan.functions:
            self._add(function, self._settings(function, queues.url))
        self._start_servers(plan)
        self._start_triggers(plan, queues.url)

    def close(self) -> None:
        """End everything, the newest part first."""
        self._ends.close()

    @property
    def page_port(self) -> int:
        """Where the page and Argo CD's proxy listen."""
        return self._page_server.port

    @property
    def gateway_port(self) -> int:
        """Where the gateway listens."""
        return self._gateway.port

    def _values(self, sqs_endpoint: str) -> Values:
        hashes = self.options.tokens.hashes()
        names = {_TOKEN_PARAMETER.format(name=name): value for name, value in hashes.items()}
        return Values(ssm=names, sqs_endpoint=sqs_endpoint)

    def _start_standins(self) -> None:
        """Start an OpenCost and a Kubernetes API of our own over the demo cluster, with the functions' clock."""
        opencost_port, self._kubernetes_port = free_port(), free_port()
        self.opencost_base_url = f"http://127.0.0.1:{opencost_port}"
        self._start_program("local.standin", opencost_port, log="opencost.log")
        self._start_program(
            "local.standin_kubernetes",
            self._kubernetes_port,
            log="kubernetes.log",
            KUBERNETES_TOKEN=self._kubernetes_token,
        )

    def _start_program(self, module: str, port: int, *, log: str, **variables: str) -> None:
        """Start one of our own programs, which ends with the stack."""
        child = self._children.start(
            [sys.executable, "-m", module, "--port", str(port), "--now", self.options.now().isoformat()],
            environment={**os.environ, **variables},
            folder=ROOT,
            log=self.logs / log,
        )
        self._ends.callback(lambda: self._children.kill(child))

    def _start_database(self, plan: StackPlan) -> None:
        """Start PostgreSQL unless one is given, and bring its schema up to date through the real function."""
        if not self.database_url:
            self.postgres = EmbeddedPostgres(self._children)
            self._ends.callback(self.postgres.close)
            self.postgres.start()
            self.database_url = self.postgres.create_database(DATABASE)
        migrate = plan.function_with_handler(_MIGRATE)
        function = self._add(migrate, {**self._clock(), "DATABASE_URL": self.database_url})
        answer = function.invoke(b"{}")
        if answer.failed:
            error = json.loads(answer.payload)
            raise StackError(f"migrate failed: {error.get('errorType')}: {error.get('errorMessage')}")
        function.close()

    def _make_catalog(self) -> Catalog:
        if self.options.opencost_base_url:
            return NamespaceCatalog(self.database_url)
        return ClusterCatalog(self.options.now())

    def _clock(self) -> dict[str, str]:
        return {"CLOCK_OFFSET_SECONDS": str(self.options.clock_offset_seconds)}

    def _settings(self, plan: FunctionPlan, sqs_endpoint: str) -> dict[str, str]:
        """Give what is different here from the template's own variables of a function."""
        settings = {**self.options.settings_for(plan.environment), **self._clock()}
        if "OPENCOST_BASE_URL" in plan.environment:
            settings["OPENCOST_BASE_URL"] = self.opencost_base_url
        if self._kubernetes_port is not None:
            settings = {"CLUSTER_ACCESS_APP": ACCESS_APPLICATION, **settings, **self._kubernetes_settings(plan)}
        if role := plan.environment.get("DATABASE_USER"):
            settings["DATABASE_URL"] = self._role_url(role)
        if not plan.in_vpc:
            # Inside the VPC there is no way to AWS, so there is none here.
            settings |= {"AWS_ENDPOINT_URL_SQS": sqs_endpoint, **CREDENTIALS}
        return settings

    def _kubernetes_settings(self, plan: FunctionPlan) -> dict[str, str]:
        """Give the way to our own API server to the function that lists what lives there."""
        if LISTS not in plan.environment:
            return {}
        endpoint = f"http://127.0.0.1:{self._kubernetes_port}"
        return {"KUBERNETES_ENDPOINT": endpoint, "KUBERNETES_TOKEN": self._kubernetes_token}

    def _role_url(self, role: str) -> str:
        return self.postgres.role_url(role, database=DATABASE) if self.postgres else self.database_url

    def another(self, plan: FunctionPlan) -> LambdaFunction:
        """Make a function beside the template's own, with exactly this plan; it ends with the stack."""
        log = self.logs / f"{_service(plan)}.log"
        function = LambdaFunction(plan, children=self._children, packages=self._packages, log=log)
        self._ends.callback(function.close)
        return function

    def _add(self, plan: FunctionPlan, settings: Mapping[str, str]) -> LambdaFunction:
        function = self.another(replace(plan, environment={**plan.environment, **settings}))
        self._by_arn[plan.arn] = function
        self.functions[_service(plan)] = function
        return function

    def _start_servers(self, plan: StackPlan) -> None:
        options = self.options
        gateway = Gateway(options.gateway_port, routes=plan.routes, functions=self._by_arn, clock=options.now)
        gateway.start()
        self._ends.callback(gateway.close)
        self._gateway = gateway
        proxy = ExtensionProxy(backend_port=gateway.port, token=options.tokens.proxy)
        self.webhook = Webhook(port=gateway.port, token=options.tokens.webhook)
        self.controller = Controller(catalog=self.catalog, webhook=self.webhook, kubernetes_port=self._kubernetes_port)
        page = Page(proxy=proxy, catalog=self.catalog, controller=self.controller, clock=options.now)
        self._page_server = HttpServer(options.port, page.respond)
        self._page_server.start()
        self._ends.callback(self._page_server.close)
        self._check_health()

    def _check_health(self) -> None:
        """Ask `/health` once: a function that cannot start is told now, not at the first request."""
        connection = http.client.HTTPConnection("127.0.0.1", self._gateway.port, timeout=_HEALTH_SECONDS)
        with contextlib.closing(connection):
            connection.request("GET", "/health")
            status = connection.getresponse().status
        if status != 200:
            raise StackError(f"GET /health was answered {status}, see {self.logs}")

    def _start_triggers(self, plan: StackPlan, sqs_endpoint: str) -> None:
        """Start what calls functions by itself: the queue's mapping, then the schedules, which fire at once."""
        if self._kubernetes_port is not None:
            _await_port(self._kubernetes_port)
        names = {queue.arn: queue.name for queue in plan.queues}
        for source in plan.event_sources:
            url = queue_url(sqs_endpoint, names[source.queue_arn])
            poller = Poller(source, function=self._by_arn[source.function_arn], endpoint=sqs_endpoint, queue_url=url)
            self._ends.callback(poller.close)
            poller.start()
        for schedule in plan.schedules:
            scheduler = Scheduler(schedule, function=self._by_arn[schedule.function_arn])
            self._ends.callback(scheduler.close)
            scheduler.start()


def _service(plan: FunctionPlan) -> str:
    return plan.environment.get("POWERTOOLS_SERVICE_NAME", plan.name)


def _await_port(port: int) -> None:
    """Wait until something listens there: the lists of the first run should not come too early. Raises StackError."""
    deadline = time.monotonic() + _HEALTH_SECONDS
    while time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(_PAUSE_SECONDS)
    raise StackError(f"nothing listens on 127.0.0.1:{port}")


def _require_free(port: int) -> None:
    """Notice a taken port before anything is started. Raises OSError."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            raise OSError(error.errno, f"cannot listen on 127.0.0.1:{port}: {error.strerror}") from error
