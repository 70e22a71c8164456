/// A host and a port, as in `127.0.0.1:8080`, `localhost:0` or `[::1]:8080`. Port 0 lets the system pick one.
package struct ListenAddress: Sendable, CustomStringConvertible {
    package var host: String
    package var port: Int

    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Nil when the text is not a host and a port 0...65535.
    package init?(parsing text: String) {
        guard let colon = text.lastIndex(of: ":"),
            let first = text[text.index(after: colon)...].first, first != "+",
            let port = UInt16(text[text.index(after: colon)...])
        else { return nil }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = String(host.dropFirst().dropLast())
        } else if host.contains(":") {
            return nil
        }
        guard !host.isEmpty else { return nil }
        self.init(host: host, port: Int(port))
    }

    package var description: String {
        self.host.contains(":") ? "[\(self.host)]:\(self.port)" : "\(self.host):\(self.port)"
    }
}
