"""What `kustomize build` makes of a folder, of as much of its language as deploy/ uses; what is not known is an error."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import yaml

Resource = dict[str, Any]

FIELDS = {
    "apiVersion", "kind", "namespace", "resources", "images", "generatorOptions", "secretGenerator", "configMapGenerator",
    "patches",
}
# By what the entries of a list are known, as Kubernetes' own types say; other lists are replaced whole.
MERGE_KEYS = {"containers": "name", "env": "name", "volumeMounts": "mountPath", "volumes": "name"}
WITHOUT_NAMESPACE = {"Namespace"}


def build(folder: Path) -> list[Resource]:
    kustomization = yaml.safe_load((folder / "kustomization.yaml").read_text())
    assert kustomization["kind"] == "Kustomization" and set(kustomization) <= FIELDS, kustomization
    made: list[Resource] = []
    for name in kustomization.get("resources", []):
        path = folder / name
        made += build(path) if path.is_dir() else documents(path)
    options = kustomization.get("generatorOptions", {})
    assert options in ({}, {"disableNameSuffixHash": True}), "names with hashes are not made here"
    for generator in kustomization.get("secretGenerator", []):
        content = {name: base64.b64encode((folder / name).read_bytes()).decode() for name in generator["files"]}
        assert set(generator) == {"name", "type", "files"} and options, generator
        made.append(generated("Secret", generator["name"], content) | {"type": generator["type"]})
    for generator in kustomization.get("configMapGenerator", []):
        assert set(generator) == {"name", "files"} and options, generator
        content = {name: (folder / name).read_text() for name in generator["files"]}
        made.append(generated("ConfigMap", generator["name"], content))
    for patch in kustomization.get("patches", []):
        assert set(patch) == {"path"}, patch
        for change in documents(folder / patch["path"]):
            (target,) = [each for each in made if identity(each) == identity(change)]
            merge(target, change)
    for image in kustomization.get("images", []):
        assert set(image) == {"name", "newName", "newTag"}, image
        rename_images(made, image["name"], f"{image['newName']}:{image['newTag']}")
    if "namespace" in kustomization:
        for each in made:
            if each["kind"] not in WITHOUT_NAMESPACE:
                each["metadata"]["namespace"] = kustomization["namespace"]
    names = [identity(each) for each in made]
    assert len(set(names)) == len(names), names
    return made


def documents(path: Path) -> list[Resource]:
    return [each for each in yaml.safe_load_all(path.read_text()) if each is not None]


def generated(kind: str, name: str, content: dict[str, str]) -> Resource:
    return {"apiVersion": "v1", "kind": kind, "metadata": {"name": name}, "data": content}


def identity(resource: Resource) -> tuple[str, str, str]:
    return resource["apiVersion"], resource["kind"], resource["metadata"]["name"]


def merge(target: dict[str, Any], change: dict[str, Any]) -> None:
    """A strategic merge."""
    for name, value in change.items():
        there = target.get(name)
        if isinstance(value, dict) and isinstance(there, dict):
            merge(there, value)
        elif isinstance(value, list) and isinstance(there, list) and name in MERGE_KEYS:
            merge_list(there, value, MERGE_KEYS[name])
        else:
            target[name] = value


def merge_list(target: list[dict[str, Any]], change: list[dict[str, Any]], key: str) -> None:
    for entry in change:
        same = [each for each in target if each[key] == entry[key]]
        if same:
            merge(same[0], entry)
        else:
            target.append(entry)


def rename_images(value: Any, name: str, image: str) -> None:
    if isinstance(value, list):
        for each in value:
            rename_images(each, name, image)
    elif isinstance(value, dict):
        for container in value.get("containers", []):
            if container["image"] == name:
                container["image"] = image
        for each in value.values():
            rename_images(each, name, image)
