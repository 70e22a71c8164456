/// Why the server could not start or had to stop: one line for the operator.
package struct StartError: Error, Hashable, CustomStringConvertible {
    package var description: String

    package init(_ description: String) {
        self.description = description
    }
}
