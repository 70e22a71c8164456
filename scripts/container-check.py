"""What scripts/container-check does: an image, and containers of it, by chroot and mounts."""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import yaml

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY / "Tests" / "Clients"))

from support.dockerfile import Stage, stages  # noqa: E402
from support.identity import Authority, KeyFile  # noqa: E402
from support.servers import free_port  # noqa: E402

READY_SECONDS = 60
# The root is read-only but for the mounts, as `read_only`, `cap_drop` and `security_opt` of compose have it.
RUN = """
set -e
root=$1; shift
mount --bind "$root" "$root"
mount -o remount,ro,bind "$root"
mount -t proc proc "$root/proc"
while [ "$1" != -- ]; do
    mount --bind "$1" "$root$2"
    case "$3" in ro) mount -o remount,ro,bind "$root$2" ;; esac
    shift 3
done
shift
exec chroot "$root" setpriv "$@"
"""
PROGRAM = """
import sys
from google.cloud import firestore
document = firestore.Client(project="container", client_options={"api_endpoint": sys.argv[1]}).document("cities/SF")
if sys.argv[2] == "write":
    document.set({"population": 860000})
assert document.get().get("population") == 860000
"""


def run(*command: object, **options) -> str:
    done = subprocess.run([str(each) for each in command], capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        sys.exit(f"container-check: {' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def make_image(image: Stage, binary: Path, root: Path) -> None:
    """Instruction by instruction."""
    suite = re.fullmatch(r"debian:(\w+)-slim", image[0].text)[1]
    run("debootstrap", "--variant=minbase", suite, root)
    run("mount", "-t", "proc", "proc", root / "proc")
    # A folder of this machine's would not be there.
    environment = {name: value for name, value in os.environ.items() if name != "TMPDIR"}
    try:
        for instruction in image:
            if instruction.name == "COPY":
                source, target = instruction.words
                path = binary if "from" in instruction.flags else REPOSITORY / source
                shutil.copy(path, root / target[1:])
            elif instruction.name == "RUN":
                run("chroot", root, "sh", "-c", instruction.text, env={**environment, "DEBIAN_FRONTEND": "noninteractive"})
    finally:
        run("umount", root / "proc")


class Container:
    """One of the service in deploy/compose.yaml, at ports of its own."""

    def __init__(self, image: Stage, root: Path, volumes: dict[str, tuple[Path, str]], said: dict[str, str]):
        self.root = root
        self.volumes = volumes
        self.port = free_port()
        self.metrics = free_port()
        self.environment = {
            "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            **image.environment,
            **said,
            "BRASA_LISTEN": f"0.0.0.0:{self.port}",
            "BRASA_METRICS_ADDRESS": f"0.0.0.0:{self.metrics}",
        }
        self.command = image.last("ENTRYPOINT").words + image.last("CMD").words
        self.health = image.health_command
        self.stop_signal = signal.Signals[image.last("STOPSIGNAL").text]
        user, group = image.last("USER").text.split(":")
        self.privileges = [
            f"--reuid={user}", f"--regid={group}", "--clear-groups", "--no-new-privs", "--bounding-set=-all",
            "--inh-caps=-all", "--",
        ]
        self.user = int(user)
        self.process: subprocess.Popen | None = None

    def start(self) -> None:
        mounts = [word for inside, (path, mode) in self.volumes.items() for word in (str(path), inside, mode)]
        command = ["unshare", "--mount", "--propagation", "private", "bash", "-c", RUN, "bash", str(self.root)]
        self.process = subprocess.Popen([*command, *mounts, "--", *self.privileges, *self.command], env=self.environment)
        deadline = time.monotonic() + READY_SECONDS
        # Not the status alone: before there is /proc, the program finds no arguments and prints its help.
        while self.execute(*self.health).stdout != "ready\n":
            if self.process.poll() is not None or time.monotonic() > deadline:
                sys.exit("container-check: the container does not become healthy")
            time.sleep(0.2)
        print("healthy, as the image asks")

    def execute(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Beside the server, as `docker exec` does."""
        inside = ["nsenter", f"--mount=/proc/{self.process.pid}/ns/mnt", "chroot", str(self.root), "setpriv"]
        return subprocess.run(
            [*inside, *self.privileges, *command], env=self.environment, capture_output=True, text=True, check=False
        )

    def stop(self) -> int:
        self.process.send_signal(self.stop_signal)
        return self.process.wait(timeout=60)


def expect(what: str, holds: bool) -> None:
    if not holds:
        sys.exit(f"container-check: not so: {what}")
    print(what)


def check(binary: Path, folder: Path) -> None:
    image = stages(REPOSITORY / "deploy" / "Dockerfile")[-1]
    root = folder / "root"
    make_image(image, binary, root)
    service = yaml.safe_load((REPOSITORY / "deploy" / "compose.yaml").read_text())["services"]["brasa"]
    authority = Authority(folder / "authority")
    authority.issue("tls")
    (folder / "tls").mkdir()
    shutil.copy(authority.path("tls.pem"), folder / "tls" / "tls.crt")
    shutil.copy(authority.path("tls.key"), folder / "tls" / "tls.key")
    volumes: dict[str, tuple[Path, str]] = {}
    for volume in service["volumes"]:
        name, inside, *mode = volume.split(":")
        # A named volume begins as what the image has there, its owner included; a folder is the operator's.
        outside = folder / Path(name).name
        if not outside.exists():
            run("cp", "-a", root / inside[1:], outside)
        (root / inside[1:]).mkdir(parents=True, exist_ok=True)
        volumes[inside] = (outside, mode[0] if mode else "rw")
    container = Container(image, root, volumes, service["environment"])
    run("chown", "-R", str(container.user), folder / "tls")
    container.start()
    try:
        status = Path(f"/proc/{container.process.pid}/status").read_text()
        expect("runs as its user", re.search(rf"^Uid:\t{container.user}\t{container.user}\t", status, re.M) is not None)
        expect("has no rights", set(re.findall(r"^Cap\w+:\t(\w+)$", status, re.M)) == {"0" * 16})
        expect("can get none", "NoNewPrivs:\t1" in status)
        expect("writes to no file of the image", container.execute("sh", "-c", "! touch /tmp/x /usr/x").returncode == 0)
        address = f"localhost:{container.port}"
        made = container.execute("brasa", "keys", "create", "app", "--server", f"https://{address}")
        (folder / "app.json").write_text(made.stdout)
        key = KeyFile(folder / "app.json")
        authority.run(PROGRAM, key, address, "write")
        print("serves the official client over TLS")
        expect("ends by its signal", container.stop() == 0)
        container.start()
        authority.run(PROGRAM, key, address, "read")
        print("has the document after a restart")
        expect("ends by its signal", container.stop() == 0)
    finally:
        if container.process.poll() is None:
            container.process.kill()
            container.process.wait()
    owners = {path.stat().st_uid for path in volumes[image.last("VOLUME").text][0].rglob("*")}
    expect("its data is its user's", owners == {container.user})
    print("the image's size without the program:", run("du", "-shx", f"--exclude={root}/usr/local/bin", root).split()[0])


with tempfile.TemporaryDirectory() as made:
    os.chmod(made, 0o755)
    check(Path(sys.argv[1]), Path(made))
