/// The descriptors of the services that this room itself brings, as a FileDescriptorSet.
enum OwnDescriptors {
    static let set: [UInt8] = {
        var set = ProtobufWriter()
        set.write(1, message: OwnDescriptors.health())
        set.write(1, message: OwnDescriptors.reflection(version: "v1"))
        set.write(1, message: OwnDescriptors.reflection(version: "v1alpha"))
        return set.bytes
    }()

    private static func health() -> [UInt8] {
        var file = DescriptorWriter(name: "grpc/health/v1/health.proto", package: "grpc.health.v1")
        file.message("HealthCheckRequest", [.init(name: "service", number: 1, type: .string)])
        file.message(
            "HealthCheckResponse",
            enumeration: ("ServingStatus", ["UNKNOWN", "SERVING", "NOT_SERVING", "SERVICE_UNKNOWN"]),
            [.init(name: "status", number: 1, type: .enumeration("HealthCheckResponse.ServingStatus"))]
        )
        file.service(
            "Health",
            methods: [
                ("Check", .unary, "HealthCheckRequest", "HealthCheckResponse"),
                ("Watch", .serverStreaming, "HealthCheckRequest", "HealthCheckResponse"),
            ]
        )
        return file.bytes
    }

    private static func reflection(version: String) -> [UInt8] {
        var file = DescriptorWriter(
            name: "grpc/reflection/\(version)/reflection.proto",
            package: "grpc.reflection.\(version)"
        )
        file.message(
            "ServerReflectionRequest",
            oneof: "message_request",
            [
                .init(name: "host", number: 1, type: .string),
                .init(name: "file_by_filename", number: 3, type: .string, isInOneof: true),
                .init(name: "file_containing_symbol", number: 4, type: .string, isInOneof: true),
                .init(
                    name: "file_containing_extension",
                    number: 5,
                    type: .message("ExtensionRequest"),
                    isInOneof: true
                ),
                .init(name: "all_extension_numbers_of_type", number: 6, type: .string, isInOneof: true),
                .init(name: "list_services", number: 7, type: .string, isInOneof: true),
            ]
        )
        file.message(
            "ExtensionRequest",
            [
                .init(name: "containing_type", number: 1, type: .string),
                .init(name: "extension_number", number: 2, type: .int32),
            ]
        )
        self.addReflectionResponse(to: &file)
        file.service(
            "ServerReflection",
            methods: [
                ("ServerReflectionInfo", .bidirectional, "ServerReflectionRequest", "ServerReflectionResponse")
            ]
        )
        return file.bytes
    }

    private static func addReflectionResponse(to file: inout DescriptorWriter) {
        file.message(
            "ServerReflectionResponse",
            oneof: "message_response",
            [
                .init(name: "valid_host", number: 1, type: .string),
                .init(name: "original_request", number: 2, type: .message("ServerReflectionRequest")),
                .init(
                    name: "file_descriptor_response",
                    number: 4,
                    type: .message("FileDescriptorResponse"),
                    isInOneof: true
                ),
                .init(
                    name: "all_extension_numbers_response",
                    number: 5,
                    type: .message("ExtensionNumberResponse"),
                    isInOneof: true
                ),
                .init(
                    name: "list_services_response",
                    number: 6,
                    type: .message("ListServiceResponse"),
                    isInOneof: true
                ),
                .init(name: "error_response", number: 7, type: .message("ErrorResponse"), isInOneof: true),
            ]
        )
        file.message(
            "FileDescriptorResponse",
            [.init(name: "file_descriptor_proto", number: 1, type: .bytes, isRepeated: true)]
        )
        file.message(
            "ExtensionNumberResponse",
            [
                .init(name: "base_type_name", number: 1, type: .string),
                .init(name: "extension_number", number: 2, type: .int32, isRepeated: true),
            ]
        )
        file.message(
            "ListServiceResponse",
            [.init(name: "service", number: 1, type: .message("ServiceResponse"), isRepeated: true)]
        )
        file.message("ServiceResponse", [.init(name: "name", number: 1, type: .string)])
        file.message(
            "ErrorResponse",
            [
                .init(name: "error_code", number: 1, type: .int32),
                .init(name: "error_message", number: 2, type: .string),
            ]
        )
    }
}
