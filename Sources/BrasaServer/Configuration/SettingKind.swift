import BrasaOptions

/// How the values of a setting are written, and which of them are accepted.
struct SettingKind<Value: Sendable>: Sendable {
    /// Nil for a flag.
    let placeholder: String?
    let accepted: String
    let parse: @Sendable (String) -> Value?
    let format: @Sendable (Value) -> String
}

extension SettingKind<Bool> {
    static var flag: SettingKind {
        SettingKind(
            placeholder: nil,
            accepted: "true or false",
            parse: { ["true": true, "1": true, "yes": true, "false": false, "0": false, "no": false, "": false][$0] },
            format: { $0 ? "true" : "false" }
        )
    }
}

extension SettingKind<ListenAddress> {
    static var address: SettingKind {
        SettingKind(
            placeholder: "HOST:PORT",
            accepted: "HOST:PORT",
            parse: ListenAddress.init(parsing:),
            format: \.description
        )
    }
}

extension SettingKind<String> {
    static var folder: SettingKind {
        SettingKind(
            placeholder: "DIR",
            accepted: "a folder",
            parse: { $0.isEmpty ? nil : $0 },
            format: { $0 }
        )
    }
}

extension SettingKind<String> {
    static var name: SettingKind {
        SettingKind(
            placeholder: "NAME",
            accepted: "a name",
            parse: { $0.isEmpty ? nil : $0 },
            format: { $0 }
        )
    }

    static var file: SettingKind {
        SettingKind(
            placeholder: "FILE",
            accepted: "a file",
            parse: { $0.isEmpty ? nil : $0 },
            format: { $0 }
        )
    }
}

extension SettingKind where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
    /// One of the words of an enumeration.
    static func word(_ placeholder: String) -> SettingKind {
        let words = Value.allCases.map(\.rawValue)
        return SettingKind(
            placeholder: placeholder,
            accepted: words.dropLast().joined(separator: ", ") + " or " + (words.last ?? ""),
            parse: Value.init(rawValue:),
            format: \.rawValue
        )
    }
}

extension SettingKind<Int> {
    static func count(_ range: ClosedRange<Int>) -> SettingKind {
        SettingKind(
            placeholder: "N",
            accepted: range.upperBound == .max
                ? "a number from \(range.lowerBound)" : "a number from \(range.lowerBound) to \(range.upperBound)",
            parse: { Int($0).flatMap { range.contains($0) ? $0 : nil } },
            format: { String($0) }
        )
    }

    static func bytes(from min: Int = 0) -> SettingKind {
        SettingKind(
            placeholder: "BYTES",
            accepted: "a number of bytes\(min == 0 ? "" : " from \(ByteCountText.exact(min))"), such as 256M or 2G",
            parse: { ByteCountText.parse($0).flatMap { $0 >= min ? $0 : nil } },
            format: ByteCountText.exact
        )
    }
}

extension SettingKind {
    /// Of a value that is not there, or depends on the machine, when nobody says it.
    var optional: SettingKind<Value?> {
        SettingKind<Value?>(
            placeholder: self.placeholder,
            accepted: self.accepted,
            parse: { text in self.parse(text).map { .some($0) } },
            format: { $0.map(self.format) ?? "" }
        )
    }
}

extension SettingKind<Duration> {
    static func duration(isZeroAllowed: Bool = true) -> SettingKind {
        SettingKind(
            placeholder: "DURATION",
            accepted: "a duration\(isZeroAllowed ? "" : " above zero"), such as 500ms, 90s, 30m, 1h or 7d",
            parse: { DurationText.parse($0).flatMap { $0 > .zero || isZeroAllowed ? $0 : nil } },
            format: DurationText.format
        )
    }
}
