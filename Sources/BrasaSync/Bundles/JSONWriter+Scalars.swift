import BrasaBytes
internal import BrasaDocuments

extension JSONWriter {
    /// RFC 3339 in UTC, with the digits of milliseconds or microseconds when there are such.
    mutating func timestamp(_ time: Timestamp) {
        self.string(time.rfc3339(.asNeeded).utf8)
    }

    mutating func base64(_ bytes: [UInt8]) {
        self.string(Base64.encode(bytes, .standard, isPadded: true))
    }
}
