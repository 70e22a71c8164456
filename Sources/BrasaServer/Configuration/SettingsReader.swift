/// Reads settings from the command line, else from `BRASA_…` environment variables, else takes the default.
package struct SettingsReader {
    private let environment: [String: String]

    package init(environment: [String: String]) {
        self.environment = environment
    }

    /// - Throws: `StartError` with the option's name as the user wrote it, the value, and what is accepted.
    package func read<Setting>(
        _ option: String,
        _ argument: String?,
        default defaultValue: Setting,
        takes description: String,
        parse: (String) -> Setting?
    ) throws -> Setting {
        let variable = Self.variable(for: option)
        let (source, text): (String, String)
        if let argument {
            (source, text) = ("--\(option)", argument)
        } else if let value = self.environment[variable] {
            (source, text) = (variable, value)
        } else {
            return defaultValue
        }
        guard let setting = parse(text) else {
            throw StartError("\(source) takes \(description), not \"\(text)\"")
        }
        return setting
    }

    package func read(flag option: String, _ argument: Bool) throws -> Bool {
        try argument
            || self.read(
                option,
                nil,
                default: false,
                takes: "true or false",
                parse: {
                    ["true": true, "1": true, "yes": true, "false": false, "0": false, "no": false, "": false][$0]
                }
            )
    }

    static func variable(for option: String) -> String {
        "BRASA_" + option.uppercased().replacing("-", with: "_")
    }
}
