"""Writes BrasaWire's generated Swift and the accessors of the C descriptors, from protoc's descriptor sets.

usage: generate.py PUBLIC_SET ENVELOPE_SET SWIFT_FOLDER C_INCLUDE_FOLDER
"""

import base64
import pathlib
import re
import sys

NOTE = "// Made by scripts/generate from proto/. Do not edit.\n"
# Each service with the prefix of its generated types.
SERVICES = {
    "google.firestore.v1.Firestore": "Firestore",
    "brasa.admin.v1.Admin": "Admin",
    "grpc.health.v1.Health": "Health",
    "grpc.reflection.v1.ServerReflection": "Reflection",
    "grpc.reflection.v1alpha.ServerReflection": "ReflectionAlpha",
}
# Those that clients of ours call.
STUBS = {"Firestore", "Admin"}

# Methods whose messages have no Swift form yet: the stub sends and receives their bytes.
UNTYPED = {"ExecutePipeline"}
# Messages whose Swift form has a name of its own.
SWIFT_NAMES = {"Document": "NamedDocument", "Empty": "EmptyResponse"}


def fields(message):
    """Yields (number, value) of a serialized message; value is an int or bytes."""
    position = 0

    def varint():
        nonlocal position
        value = shift = 0
        while True:
            byte = message[position]
            position += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while position < len(message):
        tag = varint()
        if tag & 7 == 0:
            yield tag >> 3, varint()
        else:
            assert tag & 7 == 2, "descriptors hold varints and lengths only"
            length = varint()
            yield tag >> 3, message[position : position + length]
            position += length


def first(message, number, default=b""):
    return next((value for field, value in fields(message) if field == number), default)


def every(message, number):
    return [value for field, value in fields(message) if field == number]


class Method:
    def __init__(self, descriptor):
        self.name = first(descriptor, 1).decode()
        self.request, self.response = (self.swift_type(first(descriptor, number)) for number in (2, 3))
        self.client_streams = bool(first(descriptor, 5, 0))
        self.server_streams = bool(first(descriptor, 6, 0))

    def swift_type(self, full_name):
        name = full_name.decode().rsplit(".", 1)[1]
        return "UntypedMessage" if self.name in UNTYPED else SWIFT_NAMES.get(name, name)

    @property
    def swift_name(self):
        return self.name[0].lower() + self.name[1:]

    @property
    def kind(self):
        if self.client_streams:
            return "bidirectional" if self.server_streams else "clientStreaming"
        return "serverStreaming" if self.server_streams else "unary"


def methods_of(public_set, service):
    package, name = service.rsplit(".", 1)
    for file in every(public_set, 1):
        if first(file, 2).decode() == package:
            for descriptor in every(file, 6):
                if first(descriptor, 1).decode() == name:
                    return [Method(method) for method in every(descriptor, 2)]
    sys.exit(f"{service} is not declared in proto/")


def envelope_messages(envelope_set):
    """Full name without package -> the message types of its fields."""
    messages = {}

    def collect(descriptor, prefix):
        name = prefix + first(descriptor, 1).decode()
        types = [first(field, 6).decode() for field in every(descriptor, 2)]
        messages[name] = [type.removeprefix(".brasa.wire.") for type in types if type]
        for nested in every(descriptor, 3):
            collect(nested, name + ".")

    for file in every(envelope_set, 1):
        for descriptor in every(file, 4):
            collect(descriptor, "")
    return messages


def refuse_recursion(messages):
    done = set()

    def visit(name, path):
        if name in path:
            sys.exit(f"envelopes.proto: {name} contains itself; declare the inner one as bytes")
        if name not in done:
            for inner in messages[name]:
                visit(inner, path + [name])
            done.add(name)

    for name in messages:
        visit(name, [])


def c_words(name):
    """How protobuf-c spells a name in functions: words in lower case, joined by underscores."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def c_type(name):
    return "Brasa__Wire__" + "__".join(name.split("."))


def c_descriptor(name):
    return "brasa__wire__" + "__".join(map(c_words, name.split("."))) + "__descriptor"


def accessor(name):
    return "cbrasa_" + "_".join(map(c_words, name.split("."))) + "_descriptor"


def descriptor_header(messages):
    lines = [
        NOTE,
        "// Swift cannot take the address of a C constant, so each descriptor has a function.",
        "#ifndef CBRASA_ENVELOPE_DESCRIPTORS_H",
        "#define CBRASA_ENVELOPE_DESCRIPTORS_H",
        "",
        '#include "envelopes.pb-c.h"',
        "",
    ]
    for name in messages:
        lines.append(f"static inline const ProtobufCMessageDescriptor *{accessor(name)}(void) {{")
        lines.append(f"    return &{c_descriptor(name)};")
        lines.append("}")
    return "\n".join(lines + ["", "#endif", ""])


def swift_envelopes(messages):
    lines = [NOTE, "internal import CBrasaFirestoreV1", "internal import CBrasaProtobufC", ""]
    for name in messages:
        lines.append(f"typealias {name.replace('.', '')}Envelope = {c_type(name)}")
    for name in messages:
        lines += [
            "",
            f"extension {c_type(name)}: Envelope {{",
            "    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {",
            f"        {accessor(name)}()",
            "    }",
            "}",
        ]
    return "\n".join(lines + [""])


def swift_methods(service, prefix, methods):
    lines = [
        NOTE,
        "package import BrasaGRPC",
        "",
        f"/// Every method of `{service}`.",
        f"package enum {prefix}Methods {{",
        f'    package static let service = "{service}"',
        "",
    ]
    for method in methods:
        lines += [
            f"    package static let {method.swift_name} = GRPCMethodDescriptor(",
            "        service: Self.service,",
            f'        method: "{method.name}",',
            f"        kind: .{method.kind}",
            "    )",
        ]
    lines += ["", "    package static let all: [GRPCMethodDescriptor] = ["]
    # As swift format lays it out.
    comma = "," if len(methods) > 1 else ""
    lines += [f"        {method.swift_name}{comma}" for method in methods]
    return "\n".join(lines + ["    ]", "}", ""])


def swift_stub(prefix, methods):
    lines = [NOTE, "package import BrasaGRPC", "package import BrasaMessages", "", f"extension {prefix}ClientStub {{"]
    for index, method in enumerate(methods):
        received = f"        received: @escaping ({method.response}) -> Void,"
        finished = "        finished: @escaping (GRPCCallResult) -> Void"
        if method.kind == "unary":
            lines += [
                "    @discardableResult",
                f"    package func {method.swift_name}(",
                f"        _ request: {method.request},",
                f"        completion: @escaping (Result<{method.response}, GRPCCallResult>) -> Void",
                "    ) -> GRPCClientCall {",
                f"        self.calls.unary({index}, request, completion)",
            ]
        elif method.kind == "serverStreaming":
            lines += [
                "    @discardableResult",
                f"    package func {method.swift_name}(",
                f"        _ request: {method.request},",
                received,
                finished,
                "    ) -> GRPCClientCall {",
                f"        self.calls.serverStreaming({index}, request, received, finished)",
            ]
        else:
            lines += [
                f"    package func {method.swift_name}(",
                received,
                "        becameWritable: @escaping () -> Void = {},",
                finished,
                f"    ) -> RequestStream<{method.request}> {{",
                f"        self.calls.bidirectional({index}, received, becameWritable, finished)",
            ]
        lines += ["    }", ""]
    return "\n".join(lines[:-1] + ["}", ""])


def swift_descriptors(public_set):
    text = base64.b64encode(public_set).decode()
    lines = [
        NOTE,
        "/// The public text of `proto/` for reflection: a serialized `google.protobuf.FileDescriptorSet`, imports first.",
        "package enum FirestoreDescriptors {",
        "    /// Base64, without line breaks.",
        '    static let text: StaticString = """',
    ]
    lines += [f"        {text[start:start + 100]}\\" for start in range(0, len(text), 100)]
    lines[-1] = lines[-1].removesuffix("\\")
    return "\n".join(lines + ['        """', "}", ""])


def main():
    public_path, envelope_path, swift_folder, c_folder = map(pathlib.Path, sys.argv[1:])
    public_set = public_path.read_bytes()
    messages = envelope_messages(envelope_path.read_bytes())
    refuse_recursion(messages)
    (c_folder / "envelope_descriptors.h").write_text(descriptor_header(messages))
    (c_folder / "module.modulemap").write_text(
        "// " + NOTE.removeprefix("// ") + "module CBrasaFirestoreV1 {\n"
        '    header "envelopes.pb-c.h"\n    header "envelope_descriptors.h"\n    export *\n}\n'
    )
    (swift_folder / "Envelopes.swift").write_text(swift_envelopes(messages))
    for service, prefix in SERVICES.items():
        methods = methods_of(public_set, service)
        (swift_folder / f"{prefix}Methods.swift").write_text(swift_methods(service, prefix, methods))
        if prefix in STUBS:
            (swift_folder / f"{prefix}ClientStub+Methods.swift").write_text(swift_stub(prefix, methods))
    (swift_folder / "FirestoreDescriptors.swift").write_text(swift_descriptors(public_set))


main()
