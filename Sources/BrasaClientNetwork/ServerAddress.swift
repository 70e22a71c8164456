/// `host`, `host:port`, `[v6]:port` or a bare IPv6 address.
package struct ServerAddress: Hashable, Sendable, CustomStringConvertible {
    package let host: String
    package let port: Int

    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Nil for what is no address.
    package init?(_ text: String, defaultPort: Int) {
        var host = Substring(text)
        var port: Substring?
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            host = text[text.index(after: text.startIndex)..<end]
            let rest = text[text.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else { return nil }
            port = rest.isEmpty ? nil : rest.dropFirst()
        } else if let colon = text.firstIndex(of: ":"), colon == text.lastIndex(of: ":") {
            host = text[..<colon]
            port = text[text.index(after: colon)...]
        }
        guard !host.isEmpty, !host.contains("/") else { return nil }
        self.host = String(host)
        guard let port else {
            self.port = defaultPort
            return
        }
        guard let number = UInt16(port), number > 0, port.allSatisfy(\.isNumber) else { return nil }
        self.port = Int(number)
    }

    /// Of addresses that name none.
    package static func defaultPort(isEncrypted: Bool) -> Int { isEncrypted ? 443 : 80 }

    /// As in addresses with a port, IPv6 may stand in brackets.
    package static func unbracketed(_ host: String) -> String {
        host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    }

    /// It is this machine's own: `localhost`, 127.0.0.0/8 or ::1.
    package var isOnLoopback: Bool {
        if self.host == "localhost" || self.host == "::1" { return true }
        let parts = self.host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    /// As it stands in `:authority`.
    package var description: String {
        self.host.contains(":") ? "[\(self.host)]:\(self.port)" : "\(self.host):\(self.port)"
    }
}
