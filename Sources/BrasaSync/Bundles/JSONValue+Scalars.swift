import BrasaBytes
internal import BrasaDocuments

extension JSONValue {
    /// RFC 3339 in UTC, or an object of seconds and nanos.
    var timestamp: Timestamp? {
        switch self {
        case .string(let text): return Timestamp(rfc3339: Array(text.utf8))
        case .object:
            let nanos = self["nanos"]?.integer ?? 0
            return Timestamp(seconds: self["seconds"]?.integer ?? 0, nanos: Int32(clamping: nanos))
        default: return nil
        }
    }

    /// Base64, of either alphabet, with or without padding.
    var bytes: [UInt8]? {
        self.string.flatMap { Base64.decode($0.utf8, .any) }
    }
}
