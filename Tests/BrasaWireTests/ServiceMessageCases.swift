import BrasaMessages
import NIOCore

@testable import BrasaWire

/// Of health and reflection.
extension MessageCase {
    static let ofServices: [MessageCase] = [
        .init("HealthCheck", Goldens.healthCheckRequest) { (input, output) throws(WireError) in
            try HealthCheckRequest(decoding: input).encode(into: &output)
        },
        .init("HealthCheckResponse", Goldens.healthCheckResponse) { (input, output) throws(WireError) in
            try HealthCheckResponse(decoding: input).encode(into: &output)
        },
        .init("ServerReflectionRequest, a file", Goldens.reflectionOfFile) { (input, output) throws(WireError) in
            try ServerReflectionRequest(decoding: input).encode(into: &output)
        },
        .init("ServerReflectionRequest, a symbol", Goldens.reflectionOfSymbol) { (input, output) throws(WireError) in
            try ServerReflectionRequest(decoding: input).encode(into: &output)
        },
        .init("ServerReflectionRequest, an extension", Goldens.reflectionOfExtension) {
            (input, output) throws(WireError) in
            try ServerReflectionRequest(decoding: input).encode(into: &output)
        },
        .init("ServerReflectionRequest, numbers", Goldens.reflectionOfNumbers) { (input, output) throws(WireError) in
            try ServerReflectionRequest(decoding: input).encode(into: &output)
        },
        .init("ServerReflectionRequest, services", Goldens.reflectionOfServices) { (input, output) throws(WireError) in
            try ServerReflectionRequest(decoding: input).encode(into: &output)
        },
        .init("ServerReflectionRequest, nothing", Goldens.reflectionOfNothing) { (input, output) throws(WireError) in
            try ServerReflectionRequest(decoding: input).encode(into: &output)
        },
        .init("ServerReflectionResponse, files", Goldens.reflectionFiles) { (input, output) throws(WireError) in
            try ServerReflectionResponse(decoding: input).encode(into: &output)
        },
        .init("ServerReflectionResponse, numbers", Goldens.reflectionNumbers) { (input, output) throws(WireError) in
            try ServerReflectionResponse(decoding: input).encode(into: &output)
        },
        .init("ServerReflectionResponse, services", Goldens.reflectionServices) { (input, output) throws(WireError) in
            try ServerReflectionResponse(decoding: input).encode(into: &output)
        },
        .init("ServerReflectionResponse, failure", Goldens.reflectionFailure) { (input, output) throws(WireError) in
            try ServerReflectionResponse(decoding: input).encode(into: &output)
        },
    ]
}
