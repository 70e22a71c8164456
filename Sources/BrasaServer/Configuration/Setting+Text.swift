extension Setting {
    private static let helpWidth = 78

    /// All settings for a terminal, with their environment variables.
    package static var helpText: String {
        let file = [
            "Options, with the environment variable of each; the command line wins.\n",
            "\(SettingsReader.configOption) FILE  (\(SettingsReader.configVariable))",
            self.indented(
                """
                Read what neither says from this file: lines such as max-memory: 2G, in YAML. SIGHUP reads it again, and \
                takes up \(self.liveNames.joined(separator: ", ")).
                """
            ),
            SettingsReader.printOption,
            self.indented("Print what holds, as such a file, with who said it, and end."),
        ]
        return (file + self.all.map(\.helpText)).joined(separator: "\n")
    }

    /// Of those that SIGHUP takes up, besides what is in files that are read again.
    package static var liveNames: [String] { self.all.filter(\.isLive).map(\.name) }

    private var helpText: String {
        let placeholder = self.placeholder.map { " \($0)" } ?? ""
        let sentence = self.help + (self.acceptedText.isEmpty ? "." : ". Takes \(self.acceptedText).")
        return
            "--\(self.name)\(placeholder)  (\(self.variable); default: \(self.defaultText))\n\(Self.indented(sentence))"
    }

    private static func indented(_ sentence: String) -> String {
        var lines: [String] = []
        var line = ""
        for word in sentence.filter({ $0 != "`" }).split(separator: " ") {
            if !line.isEmpty, 7 + line.count + word.count > self.helpWidth {
                lines.append("      \(line)")
                line = ""
            }
            line += line.isEmpty ? "\(word)" : " \(word)"
        }
        return (lines + ["      \(line)"]).joined(separator: "\n")
    }

    /// Where there is more to say than the placeholder does.
    private var acceptedText: String { self.isFlag || self.accepted == self.placeholder ? "" : self.accepted }

    /// All settings for the README.
    package static var markdown: String {
        let rows = self.all.map { setting in
            let option = "`\(setting.option)\(setting.placeholder.map { " \($0)" } ?? "")`"
            let defaultText = setting.defaultText.contains(" ") ? setting.defaultText : "`\(setting.defaultText)`"
            return "| \(option) | \(defaultText) | \(setting.acceptedText) | \(setting.help) |"
        }
        return (["| option | default | takes | |", "|---|---|---|---|"] + rows).joined(separator: "\n")
    }
}
