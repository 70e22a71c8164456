internal import BrasaBytes
internal import BrasaDocuments
internal import CBrasaFirestoreV1
internal import CBrasaProtobufC
internal import NIOCore

/// A message of `proto/brasa/envelopes.proto` as protobuf-c unpacks it.
protocol Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? { get }
}

/// Unpacks a message and what is nested in it as bytes into one arena. Everything unpacked is gone when `decode` returns.
struct EnvelopeDecoder: ~Copyable {
    private let arena: Arena

    /// What protobuf-c needs beside the bytes themselves: a record for each field read and a struct for each message.
    /// Real requests need up to six times their size; only millions of fields without content need more than this.
    private static let bytesMaxPerMessageByte = 16
    private static let bytesMaxLeast = 1_048_576

    private init(messageBytes: Int) {
        self.arena = Arena(bytesMax: max(Self.bytesMaxLeast, Self.bytesMaxPerMessageByte * messageBytes))
    }

    static func decode<Message: Envelope, Output>(
        _ buffer: ByteBuffer,
        as type: Message.Type = Message.self,
        after check: (UnsafeRawBufferPointer) throws(WireError) -> Void = { _ throws(WireError) in },
        _ body: (Message, borrowing EnvelopeDecoder) throws(WireError) -> Output
    ) throws(WireError) -> Output {
        let result: Result<Output, WireError> = buffer.withUnsafeReadableBytes { bytes in
            let decoder = EnvelopeDecoder(messageBytes: bytes.count)
            do throws(WireError) {
                try check(bytes)
                return .success(try body(try decoder.unpack(bytes, as: type), decoder))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// The message's strings, bytes and submessages stay in the arena.
    func unpack<Message: Envelope>(
        _ bytes: UnsafeRawBufferPointer,
        as type: Message.Type = Message.self
    ) throws(WireError) -> Message {
        let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        guard
            let message = protobuf_c_message_unpack(type.descriptor, self.arena.allocator, bytes.count, start)
        else {
            throw self.arena.isExhausted ? .tooManyFields : .malformed
        }
        return UnsafeRawPointer(message).assumingMemoryBound(to: type).pointee
    }
}

extension ProtobufCBinaryData {
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: self.data, count: self.len) }
    var array: [UInt8] { Array(self.bytes) }
    var isEmpty: Bool { self.len == 0 }

    /// A string field's text. `field` is named when it is no UTF-8.
    func text(_ field: StaticString) throws(DocumentError) -> UTF8Text {
        guard let text = UTF8Text(validating: self.bytes) else { throw DocumentError(.invalidUTF8("\(field)")) }
        return text
    }

    /// The same as a String.
    func string(_ field: StaticString) throws(DocumentError) -> String {
        guard UTF8Validation.isValid(self.bytes) else { throw DocumentError(.invalidUTF8("\(field)")) }
        return String(decoding: self.bytes, as: UTF8.self)
    }
}

/// protobuf-c's repeated messages are arrays of pointers, nil for none.
func repeated<Message>(
    _ count: Int,
    _ messages: UnsafeMutablePointer<UnsafeMutablePointer<Message>?>?
) -> UnsafeBufferPointer<UnsafeMutablePointer<Message>?> {
    UnsafeBufferPointer(start: UnsafePointer(messages), count: messages == nil ? 0 : count)
}

func repeated(
    _ count: Int,
    _ values: UnsafeMutablePointer<ProtobufCBinaryData>?
) -> UnsafeBufferPointer<ProtobufCBinaryData> {
    UnsafeBufferPointer(start: UnsafePointer(values), count: values == nil ? 0 : count)
}

/// Numbers are copied: protobuf-c has them in the arena.
func repeated(_ count: Int, _ numbers: UnsafeMutablePointer<Int32>?) -> [Int32] {
    Array(UnsafeBufferPointer(start: numbers, count: numbers == nil ? 0 : count))
}
