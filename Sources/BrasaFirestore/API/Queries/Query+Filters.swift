internal import BrasaQueries

extension Query {
    /// Equal to a value; `NSNull()` finds null and `Double.nan` NaN.
    @discardableResult
    public func whereField(_ field: String, isEqualTo value: Any) -> Query {
        self.filtered(field, .equal, value)
    }
    @discardableResult
    public func whereField(_ path: FieldPath, isEqualTo value: Any) -> Query {
        self.filtered(path, .equal, value)
    }

    /// Present and not equal to a value. Once in a query, and not together with `notIn`.
    @discardableResult
    public func whereField(_ field: String, isNotEqualTo value: Any) -> Query {
        self.filtered(field, .notEqual, value)
    }
    @discardableResult
    public func whereField(_ path: FieldPath, isNotEqualTo value: Any) -> Query {
        self.filtered(path, .notEqual, value)
    }

    /// Of the same type as the value, and less.
    @discardableResult
    public func whereField(_ field: String, isLessThan value: Any) -> Query {
        self.filtered(field, .lessThan, value)
    }
    @discardableResult
    public func whereField(_ path: FieldPath, isLessThan value: Any) -> Query {
        self.filtered(path, .lessThan, value)
    }

    @discardableResult
    public func whereField(_ field: String, isLessThanOrEqualTo value: Any) -> Query {
        self.filtered(field, .lessThanOrEqual, value)
    }
    @discardableResult
    public func whereField(_ path: FieldPath, isLessThanOrEqualTo value: Any) -> Query {
        self.filtered(path, .lessThanOrEqual, value)
    }

    /// Of the same type as the value, and greater.
    @discardableResult
    public func whereField(_ field: String, isGreaterThan value: Any) -> Query {
        self.filtered(field, .greaterThan, value)
    }
    @discardableResult
    public func whereField(_ path: FieldPath, isGreaterThan value: Any) -> Query {
        self.filtered(path, .greaterThan, value)
    }

    @discardableResult
    public func whereField(_ field: String, isGreaterThanOrEqualTo value: Any) -> Query {
        self.filtered(field, .greaterThanOrEqual, value)
    }
    @discardableResult
    public func whereField(_ path: FieldPath, isGreaterThanOrEqualTo value: Any) -> Query {
        self.filtered(path, .greaterThanOrEqual, value)
    }

    /// An array with an element equal to the value.
    @discardableResult
    public func whereField(_ field: String, arrayContains value: Any) -> Query {
        self.filtered(field, .arrayContains, value)
    }
    @discardableResult
    public func whereField(_ path: FieldPath, arrayContains value: Any) -> Query {
        self.filtered(path, .arrayContains, value)
    }

    /// An array with an element equal to one of the values, of which there is at least one.
    @discardableResult
    public func whereField(_ field: String, arrayContainsAny values: [Any]) -> Query {
        self.filtered(field, .arrayContainsAny, values)
    }
    @discardableResult
    public func whereField(_ path: FieldPath, arrayContainsAny values: [Any]) -> Query {
        self.filtered(path, .arrayContainsAny, values)
    }

    /// Equal to one of the values, of which there is at least one.
    @discardableResult
    public func whereField(_ field: String, in values: [Any]) -> Query {
        self.filtered(field, .in, values)
    }
    @discardableResult
    public func whereField(_ path: FieldPath, in values: [Any]) -> Query {
        self.filtered(path, .in, values)
    }

    /// Present and equal to none of the values, of which there is at least one. With a null among them nothing
    /// matches.
    @discardableResult
    public func whereField(_ field: String, notIn values: [Any]) -> Query {
        self.filtered(field, .notIn, values)
    }
    @discardableResult
    public func whereField(_ path: FieldPath, notIn values: [Any]) -> Query {
        self.filtered(path, .notIn, values)
    }
}
