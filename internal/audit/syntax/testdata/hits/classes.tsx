import React, { Component } from "react";
import * as R from "react";
// class Decoy extends Component {}
class A extends Component<Props> { render() { return <b onClick={() => exec("a")}>class X extends Component</b>; } } // hit: Component react.Component
class B extends React.Component {} // hit: Component react.Component
export default class C extends R.Component<P, S> implements I {} // hit: Component react.Component
const D = class extends Component {}; // hit: Component react.Component
abstract class E extends A {} // hit: Component react.Component
interface J extends Component {} // hit: Component react.Component
class F extends PureComponent {}
class G {}
function Component2() { return <Component />; }
