"""How tests read a CloudFormation template."""

from typing import Any

Template = dict[str, Any]
Properties = dict[str, Any]


def resources(template: Template, kind: str) -> dict[str, Properties]:
    """Return the properties of every resource of a type, by logical id."""
    found = template["Resources"].items()
    return {name: resource.get("Properties", {}) for name, resource in found if resource["Type"] == kind}


def only(template: Template, kind: str) -> Properties:
    """Return the properties of the one resource of a type."""
    (properties,) = resources(template, kind).values()
    return properties


def functions(template: Template) -> dict[str, Properties]:
    """Return our functions by handler; CDK's own, which runs the trigger, is not in Python."""
    found = resources(template, "AWS::Lambda::Function").values()
    return {function["Handler"]: function for function in found if function["Runtime"].startswith("python")}


def function_id(template: Template, handler: str) -> str:
    """Return the logical id of the function with a handler."""
    found = resources(template, "AWS::Lambda::Function").items()
    (name,) = (name for name, function in found if function["Handler"] == handler)
    return name


def environment(template: Template, handler: str) -> Properties:
    """Return a function's environment variables."""
    variables: Properties = functions(template)[handler]["Environment"]["Variables"]
    return variables


def statements(template: Template, role_id: str) -> list[Properties]:
    """Return the statements of all policies of a role."""
    role = template["Resources"][role_id]["Properties"]
    attached = resources(template, "AWS::IAM::Policy").values()
    policies = [*role.get("Policies", []), *(policy for policy in attached if {"Ref": role_id} in policy["Roles"])]
    return [statement for policy in policies for statement in policy["PolicyDocument"]["Statement"]]


def role_of(function: Properties) -> str:
    """Return the logical id of a function's role."""
    name: str = function["Role"]["Fn::GetAtt"][0]
    return name


def listed(value: str | list[str]) -> list[str]:
    """Return what CloudFormation writes as a text or as a list of texts, as a list."""
    return value if isinstance(value, list) else [value]


def allowed(template: Template, handler: str) -> dict[str, Any]:
    """Return what a function may do: each action with the resource it is allowed on."""
    role_id = role_of(functions(template)[handler])
    return {
        action: statement["Resource"]
        for statement in statements(template, role_id)
        if statement["Effect"] == "Allow"
        for action in listed(statement["Action"])
    }
