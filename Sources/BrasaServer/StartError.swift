/// Why the server could not start or had to stop: one line for the operator.
package struct StartError: Error, CustomStringConvertible {
    package var description: String

    package init(_ description: String) {
        self.description = description
    }
}
