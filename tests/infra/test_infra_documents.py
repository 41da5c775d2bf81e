"""The page about installing says what the code does."""

import re
from dataclasses import fields

from infra import paths
from infra.settings import Settings

PAGE = (paths.ROOT / "docs" / "install.md").read_text(encoding="utf-8")


def rows() -> dict[str, str]:
    """Return each documented setting with its documented default."""
    return dict(re.findall(r"^\| `([a-z_]+)` \| (\S+) \|", PAGE, re.MULTILINE))


def test_every_setting_of_the_stack_is_documented_and_no_other() -> None:
    """The table names exactly the settings, in their order."""
    assert list(rows()) == [setting.name for setting in fields(Settings)]


def test_the_documented_defaults_of_the_stack_are_the_real_ones() -> None:
    """A default is written as the operator would write it; what is optional has a dash."""
    for setting in fields(Settings):
        default = setting.default
        shown = rows()[setting.name].strip("`")
        if shown == "placeholder":
            assert Settings().is_placeholder
        elif isinstance(default, bool):
            assert shown == str(default).lower(), setting.name
        else:
            assert shown == (str(default) if default or default == 0 else "\N{EN DASH}"), setting.name


def test_the_commands_use_settings_that_exist() -> None:
    """Every context key on the page is one."""
    used = set(re.findall(r"cost-intel:([a-z_]+)", PAGE))

    assert used
    assert used <= {setting.name for setting in fields(Settings)}
