/// One thing that `brasa serve` can be told: the one place from which its option, its environment variable, its help and its
/// row in the README come.
package struct Setting: Sendable {
    /// As in `--connection-memory`.
    package let name: String
    /// What stands for the value in help, as in `BYTES`; nil for a flag.
    package let placeholder: String?
    /// What is accepted, as in "a number from 1 to 256".
    package let accepted: String
    /// What holds when nobody says anything.
    package let defaultText: String
    /// A sentence, without a full stop.
    package let help: String
    /// SIGHUP takes up another value.
    package let isLive: Bool
    /// Whether the text is accepted; only then anything changes.
    let read: @Sendable (String, inout ServerConfiguration) -> Bool
    /// How the value is written.
    let text: @Sendable (ServerConfiguration) -> String
    /// Its value, from one to the other.
    let copy: @Sendable (ServerConfiguration, inout ServerConfiguration) -> Void

    /// - Parameter defaultText: for what depends on the machine; nil: the configuration's initial value.
    init<Value>(
        _ name: String,
        _ field: any WritableKeyPath<ServerConfiguration, Value> & Sendable,
        _ kind: SettingKind<Value>,
        default defaultText: String? = nil,
        _ help: String,
        isLive: Bool = false
    ) {
        self.name = name
        self.placeholder = kind.placeholder
        self.accepted = kind.accepted
        self.defaultText = defaultText ?? kind.format(ServerConfiguration()[keyPath: field])
        self.help = help
        self.isLive = isLive
        self.read = { text, configuration in
            guard let value = kind.parse(text) else { return false }
            configuration[keyPath: field] = value
            return true
        }
        self.text = { kind.format($0[keyPath: field]) }
        self.copy = { $1[keyPath: field] = $0[keyPath: field] }
    }

    package var option: String { "--\(self.name)" }
    package var variable: String { "BRASA_" + self.name.uppercased().replacing("-", with: "_") }
    package var isFlag: Bool { self.placeholder == nil }
}
