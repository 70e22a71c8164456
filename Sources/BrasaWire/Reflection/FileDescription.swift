internal import BrasaDocuments
package import BrasaMessages
internal import CBrasaFirestoreV1
internal import CBrasaProtobufC
internal import NIOCore

extension FileDescription {
    /// The files of a serialized FileDescriptorSet, in its order.
    package static func files(inSet set: [UInt8]) throws(WireError) -> [FileDescription] {
        try EnvelopeDecoder.decode(ByteBuffer(bytes: set)) {
            (envelope: FileDescriptorSetEnvelope, decoder) throws(WireError) in
            var files: [FileDescription] = []
            for file in repeated(envelope.n_files, envelope.files) {
                files.append(try Self(file.bytes, with: decoder))
            }
            return files
        }
    }

    private init(_ bytes: UnsafeRawBufferPointer, with decoder: borrowing EnvelopeDecoder) throws(WireError) {
        let envelope = try decoder.unpack(bytes, as: FileDescriptorEnvelope.self)
        let (name, package) = try WireError.wrapping { () throws(DocumentError) in
            (try envelope.name.string("name"), try envelope.package_name.string("package"))
        }
        self.init(name: name, bytes: Array(bytes))
        try WireError.wrapping { () throws(DocumentError) in try self.declareAllButMessages(envelope, in: package) }
        try self.declare(messages: envelope.n_messages, envelope.messages, in: package, with: decoder)
    }

    private mutating func declareAllButMessages(
        _ envelope: FileDescriptorEnvelope,
        in package: String
    ) throws(DocumentError) {
        for dependency in repeated(envelope.n_dependencies, envelope.dependencies) {
            self.dependencies.append(try dependency.string("dependency"))
        }
        try self.declare(enums: envelope.n_enums, envelope.enums, in: package)
        try self.declare(extensions: envelope.n_extensions, envelope.extensions, in: package)
        for case let service? in repeated(envelope.n_services, envelope.services) {
            let name = try self.declare(service.pointee.name, in: package)
            self.symbols += try names(service.pointee.n_methods, service.pointee.methods, in: name)
        }
    }

    /// Messages and those within them, which wait in a list, so that nesting costs memory and not stack.
    private mutating func declare(
        messages count: Int,
        _ messages: UnsafeMutablePointer<ProtobufCBinaryData>?,
        in package: String,
        with decoder: borrowing EnvelopeDecoder
    ) throws(WireError) {
        var pending = repeated(count, messages).map { (scope: package, bytes: $0) }
        while let (scope, bytes) = pending.popLast() {
            let envelope = try decoder.unpack(bytes.bytes, as: MessageDescriptorEnvelope.self)
            let name = try WireError.wrapping { () throws(DocumentError) in
                let name = try self.declare(envelope.name, in: scope)
                self.symbols += try names(envelope.n_fields, envelope.fields, in: name)
                self.symbols += try names(envelope.n_oneofs, envelope.oneofs, in: name)
                try self.declare(enums: envelope.n_enums, envelope.enums, in: name)
                try self.declare(extensions: envelope.n_extensions, envelope.extensions, in: name)
                return name
            }
            pending += repeated(envelope.n_messages, envelope.messages).map { (scope: name, bytes: $0) }
        }
    }

    private mutating func declare(
        enums count: Int,
        _ enums: UnsafeMutablePointer<UnsafeMutablePointer<EnumDescriptorEnvelope>?>?,
        in scope: String
    ) throws(DocumentError) {
        for case let enumeration? in repeated(count, enums) {
            try self.declare(enumeration.pointee.name, in: scope)
            // An enum's values are named as its siblings.
            self.symbols += try names(enumeration.pointee.n_values, enumeration.pointee.values, in: scope)
        }
    }

    private mutating func declare(
        extensions count: Int,
        _ extensions: UnsafeMutablePointer<UnsafeMutablePointer<ExtensionDescriptorEnvelope>?>?,
        in scope: String
    ) throws(DocumentError) {
        for case let field? in repeated(count, extensions) {
            try self.declare(field.pointee.name, in: scope)
            let message = try field.pointee.extended_message.string("extendee")
            self.extensions.append(
                Extension(message: String(message.drop { $0 == "." }), number: field.pointee.number)
            )
        }
    }

    /// The full name.
    @discardableResult
    private mutating func declare(_ name: ProtobufCBinaryData, in scope: String) throws(DocumentError) -> String {
        let name = join(scope, try name.string("name"))
        self.symbols.append(name)
        return name
    }
}

/// Names of declarations, as they are called from outside of `scope`.
func names(
    _ count: Int,
    _ declarations: UnsafeMutablePointer<UnsafeMutablePointer<DeclarationEnvelope>?>?,
    in scope: String = ""
) throws(DocumentError) -> [String] {
    var names: [String] = []
    for case let declaration? in repeated(count, declarations) {
        names.append(join(scope, try declaration.pointee.name.string("name")))
    }
    return names
}

private func join(_ scope: String, _ name: String) -> String {
    scope.isEmpty ? name : "\(scope).\(name)"
}
