/// Why a path, value, write or query was refused. The reason carries the facts; texts and codes are made at the door.
package struct TreeError: Error, Hashable, Sendable {
    package let reason: Reason
    /// The node that offends, as far as it is known.
    package let path: TreePath?

    package init(_ reason: Reason, at path: TreePath? = nil) {
        self.reason = reason
        self.path = path
    }

    package enum Reason: Hashable, Sendable {
        /// The text is not JSON; offset counts bytes from its beginning.
        case json(JSONFault, offset: Int)

        // Keys, sizes
        case invalidKey(TreeText)
        case keyTooLong(bytes: Int)
        case tooDeep(levels: Int)
        case stringTooLong(bytesMax: Int)
        case textTooLong(bytesMax: Int)
        case numberNotFinite

        // Special keys of values
        case valueWithChildren
        case valueNotPrimitive
        case invalidPriority
        case priorityOfAbsentNode
        case serverValueWithSiblings
        case unrecognizedServerValue

        // Updates
        case updateNotObject
        case conflictingPaths(TreeLocation, TreeLocation)
        case tooManyPaths(pathsMax: Int)

        // Hashes
        case malformedCompoundHash
        case tooManyPosts(postsMax: Int)

        // Queries
        case orderMissing
        case constraintNotPrimitive
        case keyBoundNotString
        case keyBoundWithKey
        case priorityBoundInvalid
        case invalidOrder
        case invalidLimit
        case severalLimits
        case severalStarts
        case severalEnds
        case duplicateParameter(String)
        case malformedQuery
    }
}

/// What is wrong with a text that should be JSON.
package enum JSONFault: Hashable, Sendable {
    case unexpectedByte(UInt8)
    case unexpectedEnd
    case afterEnd
    case invalidEscape
    case controlCharacter
    case invalidUTF8
    case invalidNumber
    case numberOutOfRange
    case tooDeep(levelsMax: Int)
}
