import BrasaTree
import BrasaTreeWire

/// What a token says of its own end. Nobody is believed for it: a connection renews its token before, no more.
enum TokenEnd {
    /// In seconds since 1970; nil where it cannot be read.
    static func seconds(of token: String) -> Int64? {
        let parts = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let text = self.decoded(parts[1]), let claims = try? JSONValue(parsing: text),
            case .scalar(let value)? = claims["exp"]
        else { return nil }
        switch value {
        case .integer(let seconds): return seconds
        case .double(let seconds): return Int64(exactly: seconds.rounded(.down))
        case .boolean: return nil
        }
    }

    /// Of Base64 as it stands in URLs, without what fills it up.
    private static func decoded(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var (bytes, bits, count): ([UInt8], UInt32, Int) = ([], 0, 0)
        for character in text {
            guard let value = Base64Digit.value(of: character) else { return nil }
            (bits, count) = (bits << 6 | value, count + 6)
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
        }
        return bytes
    }
}
