/// A gRPC call, or another request of HTTP/2, on a connection that is well: header fields as lines up to the first byte 0xFF,
/// the path in the first of them, then a byte for how much of the body is in one frame, and the body.
package func fuzzCall(_ bytes: [UInt8]) {
    let parts = bytes.split(separator: 0xFF, maxSplits: 1, omittingEmptySubsequences: false)
    let lines = parts[0].split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let server = FuzzedServer()
    guard (try? server.addHTTP2()) != nil else { return }
    server.connect()
    server.receive(Frames.greeting)
    var fields: [(ArraySlice<UInt8>, ArraySlice<UInt8>)] = [
        (Frames.text(":method"), Frames.text("POST")), (Frames.text(":scheme"), Frames.text("http")),
        (Frames.text(":path"), lines[0].isEmpty ? Frames.text("/t.S/Unary") : lines[0]),
        (Frames.text(":authority"), Frames.text("x")),
    ]
    for line in lines.dropFirst() {
        let sides = line.split(separator: UInt8(ascii: " "), maxSplits: 1, omittingEmptySubsequences: false)
        fields.append((sides[0], sides.count > 1 ? sides[1] : []))
    }
    let body = parts.count > 1 ? parts[1] : []
    server.receive(Frames.headers(fields, isLast: parts.count < 2))
    guard let size = body.first else { return server.close() }
    var rest = body.dropFirst()
    repeat {
        let part = rest.prefix(Int(size) + 1)
        rest = rest.dropFirst(part.count)
        server.receive(Frames.frame(0, flags: rest.isEmpty ? 1 : 0, stream: 1, part))
    } while !rest.isEmpty
    server.close()
}

private enum Frames {
    static let greeting = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + Self.frame(4, flags: 0, stream: 0, [])

    static func text(_ text: String) -> ArraySlice<UInt8> { Array(text.utf8)[...] }

    static func frame(_ type: UInt8, flags: UInt8, stream: UInt8, _ payload: some Collection<UInt8>) -> [UInt8] {
        let count = payload.count
        let head = [UInt8(count >> 16 & 0xff), UInt8(count >> 8 & 0xff), UInt8(count & 0xff), type, flags]
        return head + [0, 0, 0, stream] + payload
    }

    /// Literals that are not indexed.
    static func headers(_ fields: [(ArraySlice<UInt8>, ArraySlice<UInt8>)], isLast: Bool) -> [UInt8] {
        var block: [UInt8] = []
        for (name, value) in fields { block += [0] + Self.string(name) + Self.string(value) }
        return Self.frame(1, flags: isLast ? 5 : 4, stream: 1, block)
    }

    /// A length of HPACK, without Huffman's code (RFC 7541, 5.1).
    private static func string(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        guard bytes.count >= 127 else { return [UInt8(bytes.count)] + bytes }
        var (length, rest): ([UInt8], Int) = ([127], bytes.count - 127)
        while rest >= 128 {
            length.append(UInt8(rest & 0x7f) | 0x80)
            rest >>= 7
        }
        return length + [UInt8(rest)] + bytes
    }
}
