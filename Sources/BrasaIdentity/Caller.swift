/// On whose behalf something is asked. Decided once for each call, before anything is done for it.
package enum Caller: Hashable, Sendable {
    /// The owner of the data: no rule is asked. Everybody, where nothing checks who calls.
    case administrator
    /// An administrator who may not do everything.
    case restricted(Restriction)
    case user(User)
    /// Who has shown nothing that says who they are.
    case nobody
}

extension Caller {
    /// Whether no rule is asked before a database is read.
    package func mayRead(_ database: @autoclosure () -> String) -> Bool {
        switch self {
        case .administrator: true
        case .restricted(let restriction): restriction.reaches(database())
        case .user, .nobody: false
        }
    }

    /// Whether no rule is asked before a database is changed, or others are kept from changing it.
    package func mayWrite(_ database: @autoclosure () -> String) -> Bool {
        switch self {
        case .administrator: true
        case .restricted(let restriction): !restriction.isReadOnly && restriction.reaches(database())
        case .user, .nobody: false
        }
    }

    /// Whether they may see what is of all databases: metrics, indexes, descriptions of services.
    package var mayInspect: Bool {
        switch self {
        case .administrator: true
        case .restricted(let restriction): restriction.databases.isEmpty
        case .user, .nobody: false
        }
    }
}

/// What an administrator is kept to. An object, so that a caller is one word.
package final class Restriction: Sendable, Hashable {
    package let isReadOnly: Bool
    /// The names of those that there is access to; none: all.
    package let databases: [String]

    package init(isReadOnly: Bool, databases: [String]) {
        self.isReadOnly = isReadOnly
        self.databases = databases
    }

    /// Letter by letter: strings are equal, too, that only look the same.
    func reaches(_ database: String) -> Bool {
        self.databases.isEmpty || self.databases.contains { $0.utf8.elementsEqual(database.utf8) }
    }

    package static func == (first: Restriction, second: Restriction) -> Bool {
        first.isReadOnly == second.isReadOnly && first.databases == second.databases
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(self.isReadOnly)
        hasher.combine(self.databases)
    }
}
