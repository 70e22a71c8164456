/// What a file of protobuf declares, by name, and the FileDescriptorProto that says so in full.
package struct FileDescription: Hashable, Sendable {
    package struct Extension: Hashable, Sendable {
        /// Full name of the extended message, without a leading dot.
        package var message: String
        package var number: Int32

        package init(message: String, number: Int32) {
            self.message = message
            self.number = number
        }
    }

    package var name: String
    /// Names of the files that it imports.
    package var dependencies: [String] = []
    /// Full names, without a leading dot, of messages, fields, oneofs, enums, enum values, extensions, services and methods.
    package var symbols: [String] = []
    package var extensions: [Extension] = []
    /// Serialized.
    package var bytes: [UInt8]

    package init(name: String, bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }
}
