/// The names that one FileDescriptorProto declares.
struct FileDeclarations {
    private(set) var name = ""
    private(set) var dependencies: [String] = []
    private(set) var services: [String] = []
    /// Full names, without a leading dot, of messages, fields, oneofs, enums, enum values, extensions, services and methods.
    private(set) var symbols: [String] = []
    /// Extended message and number.
    private(set) var extensions: [(String, UInt64)] = []

    private enum Scope { case message, enumeration, service }

    /// Declarations still to be read, so that nesting costs memory and not stack.
    private var pending: [(scope: Scope, parent: String, bytes: ArraySlice<UInt8>)] = []

    init(_ file: ArraySlice<UInt8>) throws(ProtobufReader.Malformed) {
        var package = ""
        var declared: [(Scope, ArraySlice<UInt8>)] = []
        var extensionFields: [ArraySlice<UInt8>] = []
        var reader = ProtobufReader(file)
        while let (field, value) = try reader.next() {
            guard case .bytes(let bytes) = value else { continue }
            switch field {
            case 1: self.name = Self.text(bytes)
            case 2: package = Self.text(bytes)
            case 3: self.dependencies.append(Self.text(bytes))
            case 4: declared.append((.message, bytes))
            case 5: declared.append((.enumeration, bytes))
            case 6: declared.append((.service, bytes))
            case 7: extensionFields.append(bytes)
            default: break
            }
        }
        for bytes in extensionFields { try self.addExtension(bytes, in: package) }
        self.pending = declared.map { ($0.0, package, $0.1) }
        while let (scope, parent, bytes) = self.pending.popLast() {
            try self.add(scope, bytes, in: parent)
        }
        self.services.reverse()
    }

    private mutating func add(
        _ scope: Scope,
        _ bytes: ArraySlice<UInt8>,
        in parent: String
    ) throws(ProtobufReader.Malformed) {
        let fullName = Self.join(parent, try Self.name(of: bytes))
        self.symbols.append(fullName)
        if scope == .service { self.services.append(fullName) }
        var reader = ProtobufReader(bytes)
        while let (field, value) = try reader.next() {
            guard case .bytes(let bytes) = value else { continue }
            switch (scope, field) {
            case (.message, 2), (.message, 8), (.service, 2):
                self.symbols.append(Self.join(fullName, try Self.name(of: bytes)))
            case (.message, 3): self.pending.append((.message, fullName, bytes))
            case (.message, 4): self.pending.append((.enumeration, fullName, bytes))
            case (.message, 6): try self.addExtension(bytes, in: fullName)
            // An enum's values are named as its siblings.
            case (.enumeration, 2): self.symbols.append(Self.join(parent, try Self.name(of: bytes)))
            default: break
            }
        }
    }

    private mutating func addExtension(_ bytes: ArraySlice<UInt8>, in scope: String) throws(ProtobufReader.Malformed) {
        var number: UInt64 = 0
        var extended = ""
        var reader = ProtobufReader(bytes)
        while let (field, value) = try reader.next() {
            switch (field, value) {
            case (3, .varint(let value)): number = value
            case (2, .bytes(let bytes)): extended = Self.text(bytes)
            default: break
            }
        }
        self.symbols.append(Self.join(scope, try Self.name(of: bytes)))
        self.extensions.append((String(extended.drop { $0 == "." }), number))
    }

    /// Every declaration keeps its name in field 1.
    private static func name(of declaration: ArraySlice<UInt8>) throws(ProtobufReader.Malformed) -> String {
        var reader = ProtobufReader(declaration)
        while let (field, value) = try reader.next() {
            if field == 1, case .bytes(let bytes) = value { return Self.text(bytes) }
        }
        return ""
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

    private static func join(_ parent: String, _ name: String) -> String {
        parent.isEmpty ? name : "\(parent).\(name)"
    }
}
