/// What brought a failure about below, for whoever looks into it. Failures that differ in nothing else are equal.
package struct FailureCause: Hashable, Sendable {
    package let error: any Error

    package init(_ error: any Error) {
        self.error = error
    }

    package static func == (_: Self, _: Self) -> Bool { true }
    package func hash(into hasher: inout Hasher) {}
}
