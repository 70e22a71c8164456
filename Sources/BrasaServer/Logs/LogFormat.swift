import BrasaBytes
import BrasaDocuments
import Logging

/// How a line of the log is written.
package enum LogFormat: String, CaseIterable, Sendable {
    case text, json
}

extension LogFormat {
    /// One line, whatever is in it: strangers' words cannot begin another.
    func line(
        at microseconds: Int64,
        _ level: Logger.Level,
        _ message: String,
        _ metadata: [(key: String, value: Logger.MetadataValue)]
    ) -> String {
        let time = Timestamp(microseconds: microseconds).rfc3339(.microseconds)
        switch self {
        case .text:
            let rest = metadata.map { " \($0.key)=\(Self.word($0.value.logText))" }.joined()
            return "\(time) \(level.rawValue) \(Self.printable(message))\(rest)"
        case .json:
            var writer = JSONWriter()
            writer.object { object in
                object.member("time", time)
                object.member("level", level.rawValue)
                object.member("message", Self.printable(message))
                for (key, value) in metadata { object.member(key) { value.write(to: &$0) } }
            }
            return String(decoding: writer.bytes, as: UTF8.self)
        }
    }

    /// In quotes unless it is one word.
    private static func word(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy {
            $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "=")
        }
        guard !isPlain || text.isEmpty else { return text }
        var writer = JSONWriter()
        writer.string(Self.printable(text).utf8)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Without what moves a terminal's cursor or ends a line.
    fileprivate static func printable(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { scalar in
                    let isControl =
                        scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value)
                        || scalar.value == 0x2028 || scalar.value == 0x2029
                    return isControl ? "\u{FFFD}" : scalar
                }
            )
        )
    }
}

extension Logger.MetadataValue {
    fileprivate var logText: String {
        switch self {
        case .string(let text): text
        case .stringConvertible(let value): value.description
        case .array(let values): values.map(\.logText).joined(separator: ",")
        case .dictionary(let values):
            values.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value.logText)" }.joined(separator: ",")
        }
    }

    /// Numbers as such.
    fileprivate func write(to writer: inout JSONWriter) {
        if case .stringConvertible(let value) = self, let number = value as? Int {
            writer.number(number)
        } else if case .stringConvertible(let value) = self, let number = value as? Double {
            writer.number(number)
        } else {
            writer.string(LogFormat.printable(self.logText).utf8)
        }
    }
}
