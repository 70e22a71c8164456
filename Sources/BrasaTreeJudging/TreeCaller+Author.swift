import BrasaTree
package import BrasaTreeEngine

/// As the store keeps who leaves something to be written: nothing for who may not write, an asterisk for administrators,
/// else the JSON of what rules see as `auth`.
extension TreeCaller {
    private static let administrators = Array("*".utf8)

    package static func author(_ caller: TreeCaller?) -> [UInt8] {
        switch caller {
        case nil: []
        case .administrator: self.administrators
        case .client(let auth): auth.text
        }
    }

    /// Nil for who may not write, and for what is nobody's.
    package init?(author: [UInt8]) {
        guard author != Self.administrators else {
            self = .administrator
            return
        }
        do throws(TreeError) {
            self = .client(try JSONValue(parsing: author, levelsMax: Self.levelsMax))
        } catch {
            return nil
        }
    }

    /// More than a token nests.
    private static let levelsMax = 256
}
