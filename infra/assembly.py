"""The cloud assembly: what synthesis leaves in a folder."""

import json
import os
import shutil
from pathlib import Path

from infra.bundling import Bundle

TEMPLATE_FILE = "CostIntel.template.json"
ASSETS_FILE = "CostIntel.assets.json"


class AssemblyError(RuntimeError):
    """The assembly is not what this project's app writes; the text says in which way."""


def link_assets(assembly: Path, bundle: Bundle) -> None:
    """Let the assembly's assets lead to the parts of `bundle`, so that newly built code is there at once."""
    files = json.loads((assembly / ASSETS_FILE).read_text(encoding="utf-8"))["files"]
    for asset in bundle.assets:
        if asset.name not in files:
            raise AssemblyError(f"{ASSETS_FILE}: expected an asset {asset.name} for {asset.folder}")
        _link(assembly / files[asset.name]["source"]["path"], asset.folder)


def _link(place: Path, folder: Path) -> None:
    """Make `place` a link to `folder`, in one step where it already is one."""
    if place.is_symlink() and place.readlink() == folder:
        return
    if place.is_dir() and not place.is_symlink():
        shutil.rmtree(place)
    fresh = place.with_name(f".{place.name}.{os.getpid()}")
    fresh.symlink_to(folder, target_is_directory=True)
    fresh.replace(place)
