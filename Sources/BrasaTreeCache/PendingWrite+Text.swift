import BrasaTree
import BrasaTreeSync

/// A queued write as it is kept: `p` the path, `u` whether it is an update, `a` what it assigns and `c` what that is
/// expected to make, both as pairs of a place and a value in export form.
extension PendingWrite {
    var text: [UInt8] {
        let assignments = self.write.assignments.map { Self.pair($0.location, $0.template.json) }
        let placements = self.change.placements.map { Self.pair($0.location, $0.node.json(.export)) }
        let object: JSONValue = [
            "p": .string(TreeText(self.write.path.description)), "u": .scalar(.boolean(self.write.isUpdate)),
            "a": .array(assignments), "c": .array(placements),
        ]
        return object.text
    }

    /// Nil for what is none.
    init?(id: Int, text: [UInt8]) {
        do throws(TreeError) {
            let object = try JSONValue(parsing: text, levelsMax: Self.levelsMax)
            guard case .string(let path)? = object["p"], case .scalar(.boolean(let isUpdate))? = object["u"],
                let assignments = Self.pairs(object["a"]), let placements = Self.pairs(object["c"])
            else { return nil }
            let write = try TreeWrite(
                path: TreePath(path.string),
                isUpdate: isUpdate,
                assignments: assignments.map { pair throws(TreeError) in
                    TreeWrite.Assignment(location: try TreeLocation(pair.place), template: try TreeTemplate(pair.value))
                }
            )
            let change = TreeChange(
                path: write.path,
                isUpdate: isUpdate,
                placements: try placements.map { pair throws(TreeError) in
                    TreeChange.Placement(
                        location: try TreeLocation(pair.place),
                        node: try TreeTemplate(pair.value).node
                    )
                }
            )
            self.init(id: id, write: write, change: change, isShown: true)
        } catch {
            return nil
        }
    }

    /// The deepest value, and what is around it.
    private static let levelsMax = 2 * TreeLimits.levelsMax

    private static func pair(_ location: TreeLocation, _ value: JSONValue) -> JSONValue {
        .array([.string(TreeText(location.description)), value])
    }

    private static func pairs(_ value: JSONValue?) -> [(place: TreeText, value: JSONValue)]? {
        guard case .array(let pairs)? = value else { return nil }
        var found: [(place: TreeText, value: JSONValue)] = []
        for pair in pairs {
            guard case .array(let parts) = pair, parts.count == 2, case .string(let place) = parts[0] else {
                return nil
            }
            found.append((place, parts[1]))
        }
        return found
    }
}
