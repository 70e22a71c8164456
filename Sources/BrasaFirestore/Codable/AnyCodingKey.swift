/// A key made from what is at hand.
struct AnyCodingKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    /// The key under which a superclass is written.
    static let superclass = AnyCodingKey(stringValue: "super")

    init(stringValue: String) {
        self.stringValue = stringValue
        self.intValue = nil
    }

    init(intValue: Int) {
        self.stringValue = "Index \(intValue)"
        self.intValue = intValue
    }
}
