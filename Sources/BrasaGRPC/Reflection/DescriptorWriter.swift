/// Just enough of `google.protobuf.FileDescriptorProto` to describe this room's own services.
struct DescriptorWriter {
    enum FieldType {
        case string, bytes, int32
        case message(String)
        case enumeration(String)
    }

    struct Field {
        var name: String
        var number: UInt64
        var type: FieldType
        var isRepeated = false
        var isInOneof = false
    }

    private var file = ProtobufWriter()
    private let package: String
    var bytes: [UInt8] { self.file.bytes }

    init(name: String, package: String) {
        self.package = package
        self.file.write(1, string: name)
        self.file.write(2, string: package)
        self.file.write(12, string: "proto3")
    }

    /// `oneof` names the group of the fields that say so; an enum is nested in the message.
    mutating func message(
        _ name: String,
        oneof: String? = nil,
        enumeration: (name: String, values: [String])? = nil,
        _ fields: [Field]
    ) {
        let package = self.package
        self.file.write(4) { message in
            message.write(1, string: name)
            for field in fields { message.write(2) { Self.write(field, of: package, to: &$0) } }
            if let enumeration {
                message.write(4) { inner in
                    inner.write(1, string: enumeration.name)
                    for (number, value) in enumeration.values.enumerated() {
                        inner.write(2) {
                            $0.write(1, string: value)
                            $0.write(2, varint: UInt64(number), keepingZero: true)
                        }
                    }
                }
            }
            if let oneof { message.write(8) { $0.write(1, string: oneof) } }
        }
    }

    mutating func service(
        _ name: String,
        methods: [(name: String, kind: GRPCMethodKind, request: String, response: String)]
    ) {
        let package = self.package
        self.file.write(6) { service in
            service.write(1, string: name)
            for method in methods {
                service.write(2) {
                    $0.write(1, string: method.name)
                    $0.write(2, string: ".\(package).\(method.request)")
                    $0.write(3, string: ".\(package).\(method.response)")
                    $0.write(5, varint: method.kind.hasOneRequest ? 0 : 1)
                    $0.write(6, varint: method.kind.hasOneResponse ? 0 : 1)
                }
            }
        }
    }

    private static func write(_ field: Field, of package: String, to writer: inout ProtobufWriter) {
        writer.write(1, string: field.name)
        writer.write(3, varint: field.number)
        writer.write(4, varint: field.isRepeated ? 3 : 1)
        switch field.type {
        case .int32: writer.write(5, varint: 5)
        case .string: writer.write(5, varint: 9)
        case .bytes: writer.write(5, varint: 12)
        case .message(let name):
            writer.write(5, varint: 11)
            writer.write(6, string: ".\(package).\(name)")
        case .enumeration(let name):
            writer.write(5, varint: 14)
            writer.write(6, string: ".\(package).\(name)")
        }
        if field.isInOneof { writer.write(9, varint: 0, keepingZero: true) }
    }
}
