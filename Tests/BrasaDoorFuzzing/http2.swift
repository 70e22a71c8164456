private let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

/// What a connection of HTTP/2 receives behind its preface. The first byte says how much of it comes at a time.
package func fuzzHttp2(_ bytes: [UInt8]) {
    guard let size = bytes.first else { return }
    let server = FuzzedServer()
    guard (try? server.addHTTP2()) != nil else { return }
    server.connect()
    server.receive(preface)
    var rest = bytes.dropFirst()
    while !rest.isEmpty {
        server.receive(rest.prefix(Int(size) * 8 + 1))
        rest = rest.dropFirst(Int(size) * 8 + 1)
    }
    server.close()
}
