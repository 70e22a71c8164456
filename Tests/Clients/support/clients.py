"""The official client library, pointed at the server under test as its users would do it."""

from __future__ import annotations

import os

from google.auth.credentials import AnonymousCredentials
from google.cloud import firestore
from google.cloud.firestore_v1.async_client import AsyncClient


def client_for(address: str, project: str, database: str = "(default)") -> firestore.Client:
    os.environ["FIRESTORE_EMULATOR_HOST"] = address
    return firestore.Client(project=project, database=database, credentials=AnonymousCredentials())


def async_client_for(address: str, project: str, database: str = "(default)") -> AsyncClient:
    os.environ["FIRESTORE_EMULATOR_HOST"] = address
    return AsyncClient(project=project, database=database, credentials=AnonymousCredentials())


def close_client(client: firestore.Client) -> None:
    client._firestore_api.transport.close()


async def close_async_client(client: AsyncClient) -> None:
    await client._firestore_api.transport.close()
