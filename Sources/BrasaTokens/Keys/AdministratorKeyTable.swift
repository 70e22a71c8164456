/// The keys as a list to read, in columns.
package enum AdministratorKeyTable {
    package static func lines(_ keys: [AdministratorKey]) -> [String] {
        let rows =
            [["NAME", "ROLE", "STATE", "KEY", "DATABASES"]]
            + keys.map { key in
                [
                    key.name, key.role.rawValue, key.isDisabled ? "disabled" : "enabled", String(key.id.prefix(8)),
                    key.databases.isEmpty ? "all" : key.databases.joined(separator: ", "),
                ]
            }
        let widths = (0..<5).map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            row.enumerated().map { column, cell in
                column == 4 ? cell : cell + String(repeating: " ", count: widths[column] - cell.count)
            }.joined(separator: "  ")
        }
    }
}
