internal import NIOCore

/// `grpc.reflection.v1.ServerReflectionRequest`; `v1alpha` is the same on the wire.
struct ReflectionRequest {
    enum Question: Equatable {
        case fileByName(String)
        case fileContainingSymbol(String)
        case fileContainingExtension(message: String, number: UInt64)
        case extensionNumbers(message: String)
        case services
    }

    var host = ""
    var question: Question?
    /// The request as it came, because the answer repeats it.
    let bytes: [UInt8]

    init(decoding message: ByteBuffer) throws(ProtobufReader.Malformed) {
        self.bytes = Array(message.readableBytesView)
        var reader = ProtobufReader(self.bytes[...])
        while let (field, value) = try reader.next() {
            guard case .bytes(let bytes) = value else { continue }
            let text = String(decoding: bytes, as: UTF8.self)
            switch field {
            case 1: self.host = text
            case 3: self.question = .fileByName(text)
            case 4: self.question = .fileContainingSymbol(text)
            case 5: self.question = try Self.extensionQuestion(bytes)
            case 6: self.question = .extensionNumbers(message: text)
            case 7: self.question = .services
            default: break
            }
        }
    }

    private static func extensionQuestion(_ bytes: ArraySlice<UInt8>) throws(ProtobufReader.Malformed) -> Question {
        var message = ""
        var number: UInt64 = 0
        var reader = ProtobufReader(bytes)
        while let (field, value) = try reader.next() {
            switch (field, value) {
            case (1, .bytes(let bytes)): message = String(decoding: bytes, as: UTF8.self)
            case (2, .varint(let value)): number = value
            default: break
            }
        }
        return .fileContainingExtension(message: message, number: number)
    }
}

/// What `ServerReflectionResponse` can say.
enum ReflectionAnswer {
    case files([[UInt8]])
    case extensionNumbers(message: String, [UInt64])
    case services([String])
    case failure(GRPCStatusCode, String)

    func encoded(answering request: ReflectionRequest) -> [UInt8] {
        var writer = ProtobufWriter()
        writer.write(1, string: request.host)
        writer.write(2, message: request.bytes)
        switch self {
        case .files(let files):
            writer.write(4) { inner in
                for file in files { inner.write(1, message: file) }
            }
        case .extensionNumbers(let message, let numbers):
            writer.write(5) { inner in
                inner.write(1, string: message)
                for number in numbers { inner.write(2, varint: number) }
            }
        case .services(let names):
            writer.write(6) { inner in
                for name in names { inner.write(1) { $0.write(1, string: name) } }
            }
        case .failure(let code, let message):
            writer.write(7) { inner in
                inner.write(1, varint: UInt64(code.rawValue))
                inner.write(2, string: message)
            }
        }
        return writer.bytes
    }
}
